/// The stores, middleware and active dispatches of a hub.
///
/// A value without side effects: ``Dispatcher`` holds the lock.
struct HubRegistry: Sendable {
  private var stores: [String: any HubStore] = [:]
  private var order = StoreOrder()
  private(set) var middleware: [any Middleware] = []
  private var lastNumber: UInt64 = 0
  private var dispatches: [UInt64: DispatchTransaction] = [:]
  var mainThread: DispatchExecutor

  init(mainThread: DispatchExecutor) { self.mainThread = mainThread }

  /// In the order of their registration.
  var allStores: [any HubStore] { order.registered.compactMap { stores[$0] } }

  /// In the order of the calls.
  var activeDispatches: [DispatchTransaction] {
    dispatches.values.sorted { $0.number < $1.number }
  }

  /// Whether a dispatch of this mode has not ended; O(active dispatches).
  func isActive(_ transaction: String, _ mode: DispatchMode) -> Bool {
    dispatches.values.contains { $0.mode == mode && $0.id == transaction }
  }

  var unmetWaits: [String: [String]] { order.unmet }

  func store(with identifier: String) -> (any HubStore)? { stores[identifier] }

  mutating func add(
    _ store: any HubStore,
    waitingFor others: [String]
  ) throws(RegistrationError) {
    try order.add(store.identifier, waitingFor: others)
    stores[store.identifier] = store
  }

  mutating func remove(_ identifier: String) throws(RegistrationError) -> (any HubStore)? {
    try order.remove(identifier)
    return stores.removeValue(forKey: identifier)
  }

  /// Adds middleware; false if it is registered already.
  mutating func add(_ new: any Middleware) -> Bool {
    guard !middleware.contains(where: { $0 === new }) else { return false }
    middleware.append(new)
    return true
  }

  /// Removes middleware; nil if it is not registered.
  mutating func remove(_ old: any Middleware) -> (any Middleware)? {
    guard let index = middleware.firstIndex(where: { $0 === old }) else { return nil }
    return middleware.remove(at: index)
  }

  mutating func begin(_ make: (UInt64) -> DispatchTransaction) -> DispatchTransaction {
    lastNumber += 1
    let transaction = make(lastNumber)
    dispatches[lastNumber] = transaction
    return transaction
  }

  mutating func end(_ transaction: DispatchTransaction) {
    dispatches[transaction.number] = nil
  }

  /// The stores that an action reaches, in order, each with the indices of those it waits for.
  func participants(
    for action: any FluxAction,
    to identifier: String?
  ) throws(DispatchError) -> [DispatchProgress.Participant] {
    if let identifier, stores[identifier] == nil { throw .unknownStore(identifier) }
    var indices: [String: Int] = [:]
    var participants: [DispatchProgress.Participant] = []
    for name in order.order where identifier == nil || name == identifier {
      guard let store = stores[name], store.responds(to: action) else { continue }
      let waitsFor = order.predecessors[name]?.compactMap { indices[$0] } ?? []
      indices[name] = participants.count
      participants.append(DispatchProgress.Participant(store, waitsFor: waitsFor))
    }
    return participants
  }
}

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

/// Middleware that knows the stores of its hub and decides whether an action is dispatched.
///
/// The recorder of StrataFluxRecorder is the only one. A hub has at most one.
package protocol HubMiddleware: Middleware {
  /// Called when it is registered with a hub.
  func join(_ hub: Dispatcher.Identity, _ stores: [any HubStore])
  /// Called when it is unregistered.
  func leave()
  /// Called when a store is registered.
  func add(_ store: any HubStore)
  /// Called when a store is unregistered.
  func remove(_ store: any HubStore)
  /// Called when a dispatch has found the stores that it reaches, each with those it waits for; an error
  /// refuses the action.
  func admit(
    _ dispatch: DispatchTransaction,
    _ stores: [(store: String, waitsFor: [String])]
  ) throws(DispatchError)
  /// Called when every store of an admitted dispatch is done, after the `didFinish` of the other
  /// middleware.
  func didEnd(_ dispatch: DispatchTransaction)
}

extension [any Middleware] {
  /// The only middleware that is a ``HubMiddleware``, if there is one.
  var recorder: (any HubMiddleware)? {
    for case let middleware as any HubMiddleware in self { return middleware }
    return nil
  }
}
