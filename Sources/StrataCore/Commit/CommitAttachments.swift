import StrataBase

/// The identity under which one hook attaches one kind of value to commits.
///
/// Two keys of the same value type are different keys: each hook keeps the one it made.
public final class CommitAttachmentKey<Value: Sendable>: Sendable {
  /// Whether the value says how the state after a commit differs from the state before it.
  fileprivate let isDifference: Bool

  /// Creates a key unlike any other.
  public init() { isDifference = false }

  /// Creates the key of a hook that computes, of every commit, how parts of the state differ.
  ///
  /// The hook sets the value of every commit, so consumers that follow such parts can rely on it
  /// without knowing the hook; see ``CommitAttachments/firstDifference(_:)``.
  package init(ofDifferences: Void) { isDifference = true }
}

/// What hooks computed once for a commit, carried to every consumer of the commit.
public struct CommitAttachments: Sendable {
  /// The values, the last one first: a handful at most, so a list is faster than a dictionary.
  private var last: CommitAttachment?

  /// Creates attachments without a value.
  @usableFromInline
  init() {}

  /// The value attached under `key`, if any.
  ///
  /// O(number of hooks).
  public subscript<Value: Sendable>(key: CommitAttachmentKey<Value>) -> Value? {
    get {
      var next = last
      while let attachment = next {
        if attachment.key === key {
          // The key is that of one attachment type alone.
          return unsafeDowncast(attachment, to: CommitAttachmentValue<Value>.self).value
        }
        next = attachment.before
      }
      return nil
    }
    set {
      last = last?.removing(key)
      if let newValue { last = CommitAttachmentValue(newValue, under: key, after: last) }
    }
  }

  /// The first result of `find` for a difference of this type that a hook computed for the commit.
  ///
  /// O(number of hooks).
  @usableFromInline
  package func firstDifference<Value: Sendable, Found>(
    _ find: (Value) -> Found?
  ) -> Found? {
    var next = last
    while let attachment = next {
      if attachment.isDifference, let attachment = attachment as? CommitAttachmentValue<Value>,
        let found = find(attachment.value)
      {
        return found
      }
      next = attachment.before
    }
    return nil
  }
}

/// One attached value, and those that were attached before it.
///
/// An object, so that attachments are copied with one retain.
private class CommitAttachment: @unchecked Sendable {
  /// Held because the identity of a freed object may be reused.
  let key: any AnyObject & Sendable
  let isDifference: Bool
  let before: CommitAttachment?

  init(_ key: any AnyObject & Sendable, isDifference: Bool, after before: CommitAttachment?) {
    self.key = key
    self.isDifference = isDifference
    self.before = before
  }

  /// The same value after others.
  func moved(after before: CommitAttachment?) -> CommitAttachment {
    fatalError("CommitAttachment is used through CommitAttachmentValue only.")
  }

  /// The list without the value of a key.
  func removing(_ unwanted: AnyObject) -> CommitAttachment? {
    if key === unwanted { return before }
    guard let before, case let rest = before.removing(unwanted), rest !== before else {
      return self
    }
    return moved(after: rest)
  }
}

/// An attached value with its type.
private final class CommitAttachmentValue<Value: Sendable>: CommitAttachment, @unchecked Sendable {
  let value: Value

  init(_ value: Value, under key: CommitAttachmentKey<Value>, after before: CommitAttachment?) {
    self.value = value
    super.init(key, isDifference: key.isDifference, after: before)
  }

  private init(
    _ value: Value,
    _ key: any AnyObject & Sendable,
    isDifference: Bool,
    after before: CommitAttachment?
  ) {
    self.value = value
    super.init(key, isDifference: isDifference, after: before)
  }

  override func moved(after before: CommitAttachment?) -> CommitAttachment {
    CommitAttachmentValue(value, key, isDifference: isDifference, after: before)
  }
}

/// Travels with a commit and receives the revision that the commit becomes in the file of its store.
///
/// A hook of a store with a file sets it under the edit lock, and so before the commit returns.
package final class CommitRevision: Sendable {
  /// The key among the attachments of a commit.
  package static let key = CommitAttachmentKey<CommitRevision>()

  private let value = Lock<Int64?>(nil)

  /// Creates one without a revision.
  package init() {}

  /// The revision; nil if the commit changed nothing in a file.
  package var number: Int64? { value.withLock { $0 } }

  /// Sets the revision.
  package func set(_ number: Int64) { value.withLock { $0 = number } }
}
