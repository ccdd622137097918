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
  private var values: [(key: ObjectIdentifier, value: any Sendable)] = []

  /// The value attached under `key`, if any.
  ///
  /// O(number of hooks).
  public subscript<Value: Sendable>(key: CommitAttachmentKey<Value>) -> Value? {
    get {
      let id = ObjectIdentifier(key)
      return values.first { $0.key == id }?.value as? Value
    }
    set {
      let id = ObjectIdentifier(key)
      values.removeAll { $0.key == id }
      if let newValue { values.append((id, newValue)) }
    }
  }
}
