/// Why a ``Dispatcher`` refused to add or remove a store.
///
/// Nothing has changed then.
public enum RegistrationError: Error, Equatable, Sendable {
  /// A store of this identifier is registered already; perhaps the same one.
  case identifierTaken(String)

  /// No store of this identifier is registered, or another one than the store given.
  case notRegistered(String)

  /// A ``StoreGroup`` was to be made of no stores.
  case emptyGroup

  /// Stores would wait for each other; `path` starts and ends with the one refused.
  case circularWait(path: [String])
}

extension RegistrationError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .identifierTaken(let identifier):
      "A store \"\(identifier)\" is registered already. Register each store once, and give each "
        + "an identifier of its own."
    case .notRegistered(let identifier):
      "The store \"\(identifier)\" is not registered with this dispatcher. Use a store where it "
        + "is registered, and unregister it once."
    case .emptyGroup:
      "A group has no stores. Name at least one."
    case .circularWait(let path):
      "Stores would wait for each other: \(path.joined(separator: " → ")). Remove one of these "
        + "waits, or merge the stores that need each other."
    }
  }
}
