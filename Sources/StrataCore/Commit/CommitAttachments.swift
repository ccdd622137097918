/// The identity under which one hook attaches one kind of value to commits.
///
/// Two keys of the same value type are different keys: each hook keeps the one it made.
public final class CommitAttachmentKey<Value: Sendable>: Sendable {
  /// Whether the value says how the state after a commit differs from the state before it.
  private let isDifference: Bool

  /// Creates a key unlike any other.
  public init() { isDifference = false }

  /// Creates the key of a hook that computes, of every commit, how parts of the state differ.
  ///
  /// The hook sets the value of every commit, so consumers that follow such parts can rely on it
  /// without knowing the hook; see ``CommitAttachments/firstDifference(_:)``.
  package init(ofDifferences: Void) { isDifference = true }

  fileprivate func difference(_ value: any Sendable) -> Value? {
    isDifference ? value as? Value : nil
  }
}

/// What hooks computed once for a commit, carried to every consumer of the commit.
public struct CommitAttachments: Sendable {
  /// A handful at most, so an array is faster than a dictionary.
  ///
  /// The keys are held because the identity of a freed object may be reused.
  private var values: [(key: any AnyObject & Sendable, value: any Sendable)] = []

  /// The value attached under `key`, if any.
  ///
  /// O(number of hooks).
  public subscript<Value: Sendable>(key: CommitAttachmentKey<Value>) -> Value? {
    get {
      values.first { $0.key === key }?.value as? Value
    }
    set {
      values.removeAll { $0.key === key }
      if let newValue { values.append((key, newValue)) }
    }
  }

  /// The first result of `find` for a difference of this type that a hook computed for the commit.
  ///
  /// O(number of hooks).
  @usableFromInline
  package func firstDifference<Value: Sendable, Found>(
    _ find: (Value) -> Found?
  ) -> Found? {
    for (key, value) in values {
      if let key = key as? CommitAttachmentKey<Value>, let difference = key.difference(value),
        let found = find(difference)
      {
        return found
      }
    }
    return nil
  }
}
