/// Why a ``Dispatcher`` refused to add or remove a store, or a ``StoreGroup`` was not created.
///
/// The call has changed nothing.
public enum RegistrationError: Error, Equatable, Sendable {
  /// A store with this identifier is registered already; it can be the same one.
  case identifierTaken(String)

  /// No store with this identifier is registered, or a different one than the given store.
  case notRegistered(String)

  /// A ``StoreGroup`` was given no stores.
  case emptyGroup

  /// Stores would wait for each other; `path` starts and ends with the refused store.
  case circularWait(path: [String])
}

extension RegistrationError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .identifierTaken(let identifier):
      "A store \"\(identifier)\" is registered already. Register each store once, and give each "
        + "its own identifier."
    case .notRegistered(let identifier):
      "The store \"\(identifier)\" is not registered with this dispatcher. Register it first, and "
        + "unregister it only once."
    case .emptyGroup:
      "The group has no stores. Name at least one."
    case .circularWait(let path):
      "Stores would wait for each other: \(path.joined(separator: " → ")). Remove one of these "
        + "waits, or merge the stores that need each other."
    }
  }
}
