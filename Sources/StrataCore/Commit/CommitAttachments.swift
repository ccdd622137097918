/// The identity under which one hook attaches one kind of value to commits.
///
/// Two keys of the same value type are different keys: each hook keeps the one it made.
public final class CommitAttachmentKey<Value: Sendable>: Sendable {
  /// Creates a key unlike any other.
  public init() {}
}

/// What hooks computed once for a commit, carried to everyone who sees the commit.
public struct CommitAttachments: Sendable {
  /// A handful at most, so an array beats a dictionary.
  ///
  /// The keys are kept, as the identity of an object that is gone passes to a later one.
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
}
