import Dispatch
import StrataBase

/// The hub of several stores: sends each action to the stores that respond to its type.
///
/// This is the hub. For plain callbacks without stores and threads, use ``FluxDispatcher``;
/// `Store.Dispatcher` of StrataCore, which commits to one store, is a third type.
///
/// ```swift
/// try Dispatcher.default.register(store: counter)
/// try Dispatcher.default.register(store: prices, waitingFor: ["counter"])
///
/// Dispatcher.default.dispatch(CounterAction.increase) {
///   Dispatcher.default.dispatch(CounterAction.decrease)   // right after it
/// }
/// try await Dispatcher.default.dispatch(CounterAction.increase)   // returns when all are done
/// ```
///
/// An action reaches the stores that are registered when the dispatch starts, in the order of their
/// registration; a store that others wait for comes before them. For each store: middleware is
/// called, the reducer returns an operation, the operation starts. A store starts after the stores
/// before it have *started* and after the stores it waits for have *finished*; if one of these
/// failed, the store is not reached. Then the observers of every finished store are notified, and
/// middleware is called again. When all stores have finished or failed, `then` runs, once for each
/// dispatch, even if no store responds.
///
/// A dispatch is allowed everywhere, also inside a dispatch: ``DispatchMode`` says when it runs. All
/// methods can be called from any thread.
///
/// `Dispatcher` is also a member type of stores (`MyStore.Dispatcher`), which hides this one inside
/// subclasses of `Store`. Write `StrataFlux.Dispatcher` there.
public final class Dispatcher: Sendable {
  /// The hub of a program that needs only one.
  public static let `default` = Dispatcher(name: "default")

  /// The prefix of the ids of its dispatches.
  public let name: String

  package typealias Identity = DispatchID.Hub

  let identity = Identity()
  private let registry: Lock<HubRegistry>
  private let serialDispatches = SerialQueue()
  private let concurrentQueue: DispatchQueue
  private let serialQueue: DispatchQueue

  /// Creates a hub without stores.
  ///
  /// - Parameters:
  ///   - name: The prefix of the ids of its dispatches.
  ///   - mainThread: Where ``DispatchMode/mainThread`` runs. The default needs a running main loop;
  ///     see ``DispatchExecutor``.
  public init(name: String = "dispatcher", mainThread: DispatchExecutor = .mainQueue) {
    self.name = name
    registry = Lock(HubRegistry(mainThread: mainThread))
    concurrentQueue = DispatchQueue(label: "Dispatcher \(name)", attributes: .concurrent)
    serialQueue = DispatchQueue(label: "Dispatcher \(name), serial")
  }

  /// Where ``DispatchMode/mainThread`` runs, for dispatches from now on.
  public var mainThread: DispatchExecutor {
    get { registry.withLock { $0.mainThread } }
    set { registry.withLock { $0.mainThread = newValue } }
  }

  /// The dispatches that are not finished, in the order of the calls.
  ///
  /// Use it to find and cancel a dispatch whose operation never finishes. O(n log n).
  public var activeDispatches: [DispatchTransaction] {
    registry.withLock { $0.activeDispatches }
  }
}

extension Dispatcher {
  /// Sends an action to the stores that respond to it, and returns at once unless the mode is
  /// `.sync`.
  ///
  /// A few microseconds for each store that responds, its commit included, and for switching to
  /// another thread. Observers of unchanged values cost next to nothing.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - identifier: The only store to reach; nil reaches all.
  ///   - mode: Where and when it runs; see ``DispatchMode``.
  ///   - fileID: The place of the dispatch.
  ///   - function: The place of the dispatch.
  ///   - line: The place of the dispatch.
  ///   - then: Called once, when every store has finished or failed, where the mode runs. Actions
  ///     that it dispatches come right after.
  /// - Returns: The dispatch, to inspect or cancel it.
  @discardableResult
  public func dispatch(
    _ action: some FluxAction,
    to identifier: String? = nil,
    mode: DispatchMode = .async,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    then: (@Sendable () -> Void)? = nil
  ) -> DispatchTransaction {
    let trace = CommitTrace(name: "", fileID: fileID, function: function, line: line)
    let transaction = begin(action, to: identifier, mode: mode, at: trace, then: then) {
      executor(for: mode)
    }
    if mode == .sync { transaction.runHere() }
    return transaction
  }

  /// Creates a dispatch and starts it, unless its mode is `.sync`.
  private func begin(
    _ action: some FluxAction,
    to identifier: String?,
    mode: DispatchMode,
    at trace: CommitTrace,
    then: (@Sendable () -> Void)?,
    on executor: () -> DispatchExecutor?
  ) -> DispatchTransaction {
    let route = DispatchTransaction.Route(
      hub: identity,
      executor: executor(),
      open: { [self] transaction throws(DispatchError) in try open(transaction, to: identifier) },
      isInsideSerial: { [self] in isInsideSerial },
      didEnd: { [self] transaction in
        registry.withLock { $0.end(transaction) }
        if mode == .serial { serialDispatches.remove(transaction) }
      }
    )
    let transaction = registry.withLock { registry in
      registry.begin { number in
        DispatchTransaction(
          number,
          of: name,
          action: action,
          mode: mode,
          trace: trace,
          route: route,
          then: then
        )
      }
    }
    switch mode {
    case .sync: break
    case .serial: serialDispatches.append(transaction)
    case .async, .mainThread: transaction.resume()
    }
    return transaction
  }

  /// Sends an action to the stores that respond to it, and returns when every store is done.
  ///
  /// When the task is cancelled, the dispatch is cancelled too. The mode `.sync` runs on the calling
  /// thread, before the first suspension, like a dispatch that is not awaited. Only if an operation
  /// finishes later does the task suspend, and what remains runs on the thread that finishes it: a
  /// task must not block its thread.
  ///
  /// - Throws: ``DispatchError``; `CancellationError` if the task was cancelled first.
  public func dispatch(
    _ action: some FluxAction,
    to identifier: String? = nil,
    mode: DispatchMode = .async,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) async throws {
    if mode == .serial, isInsideSerial { throw DispatchError.insideSerial }
    let trace = CommitTrace(name: "", fileID: fileID, function: function, line: line)
    let transaction = begin(action, to: identifier, mode: mode, at: trace, then: nil) {
      mode == .sync ? .callingThread : executor(for: mode)
    }
    if mode == .sync { transaction.resume() }
    try await transaction.finished()
  }

  /// Whether the running code belongs to a serial dispatch of this hub that has not ended.
  private var isInsideSerial: Bool {
    guard let outer = DispatchID.current, outer.hub === identity else { return false }
    return registry.withLock { $0.isActive(outer.transaction, .serial) }
  }

  private func executor(for mode: DispatchMode) -> DispatchExecutor? {
    switch mode {
    case .async: .queue(concurrentQueue)
    case .serial: .queue(serialQueue)
    case .sync: nil
    case .mainThread: mainThread
    }
  }

  private func open(
    _ transaction: DispatchTransaction,
    to identifier: String?
  ) throws(DispatchError) -> DispatchTransaction.Recipients {
    let action = transaction.action
    let middleware = registry.withLock { $0.middleware }
    let participants = try registry.withLock { registry throws(DispatchError) in
      try registry.participants(for: action, to: identifier)
    }
    if let recorder = middleware.recorder {
      let stores = participants.map { participant in
        (
          store: participant.store.identifier,
          waitsFor: participant.waitsFor.map { participants[$0].store.identifier }
        )
      }
      try recorder.admit(transaction, stores)
    }
    return DispatchTransaction.Recipients(participants: participants, middleware: middleware)
  }
}

extension Dispatcher {
  /// Adds a store, which receives every action of its type from now on.
  ///
  /// The hub holds it until it is unregistered. It can wait for stores that are registered later:
  /// ``unmetWaits`` lists the names that are not registered yet. O(n²) in the number of stores.
  ///
  /// - Parameters:
  ///   - store: The store. Registering it twice, or two stores with one identifier, is an error.
  ///   - others: The identifiers of stores that must finish an action before this one receives it;
  ///     stores that do not respond to the action are ignored.
  /// - Throws: ``RegistrationError``; nothing has changed then.
  public func register<State, Action>(
    store: FluxStore<State, Action>,
    waitingFor others: [String] = []
  ) throws(RegistrationError) {
    let middleware = try registry.withLock { registry throws(RegistrationError) in
      try registry.add(store, waitingFor: others)
      return registry.middleware
    }
    for case let middleware as any HubMiddleware in middleware { middleware.add(store) }
  }

  /// Removes a store, which receives no more actions, not even those dispatched before that have not
  /// started.
  ///
  /// A running operation continues to its end. O(n²) in the number of stores.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``, also if a different store is registered with
  ///   the identifier.
  public func unregister<State, Action>(
    store: FluxStore<State, Action>
  ) throws(RegistrationError) {
    try unregister(store.identifier) { $0 === store }
  }

  /// Removes the store with this identifier.
  ///
  /// Otherwise like `unregister(store:)`.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``.
  public func unregister(identifier: String) throws(RegistrationError) {
    try unregister(identifier) { _ in true }
  }

  private func unregister(
    _ identifier: String,
    where isWanted: (any HubStore) -> Bool
  ) throws(RegistrationError) {
    let (removed, middleware) = try registry.withLock { registry throws(RegistrationError) in
      guard let store = registry.store(with: identifier), isWanted(store) else {
        throw .notRegistered(identifier)
      }
      return (try registry.remove(identifier), registry.middleware)
    }
    guard let removed else { return }
    for case let middleware as any HubMiddleware in middleware { middleware.remove(removed) }
  }

  /// The store with this identifier, or nil.
  ///
  /// O(1).
  public func store(with identifier: String) -> (any FluxStoreType)? { hubStore(with: identifier) }

  func hubStore(with identifier: String) -> (any HubStore)? {
    registry.withLock { $0.store(with: identifier) }
  }

  /// The store with this identifier, or nil if there is none of this type.
  ///
  /// Use it to name all stores in one place:
  ///
  /// ```swift
  /// extension Dispatcher {
  ///   var counter: CounterStore? { store(with: "counter", as: CounterStore.self) }
  /// }
  /// ```
  ///
  /// O(1).
  public func store<S: FluxStoreType>(with identifier: String, as type: S.Type) -> S? {
    store(with: identifier) as? S
  }

  /// The identifiers of all stores, in the order of their registration.
  ///
  /// O(n).
  public var identifiers: [String] { registry.withLock { $0.allStores }.map(\.identifier) }

  /// The identifiers that stores wait for and that are not registered, by the waiting store.
  ///
  /// They are not registered yet, or misspelt. O(waits).
  public var unmetWaits: [String: [String]] { registry.withLock { $0.unmetWaits } }

  /// Adds middleware after the existing middleware.
  ///
  /// Dispatches that have started continue without it. Registering it again has no effect. A second
  /// `RecorderMiddleware`, or one of another hub, traps: two recorders cannot both decide what the
  /// stores show. O(middleware), for a recorder O(stores) as well.
  public func register(middleware: any Middleware) {
    let hubMiddleware = middleware as? any HubMiddleware
    let stores = registry.withLock { registry -> [any HubStore]? in
      if hubMiddleware != nil,
        registry.middleware.contains(where: { other in
          other is any HubMiddleware && other !== middleware
        })
      {
        fatalError(
          """
          A dispatcher has one RecorderMiddleware: unregister the first before registering \
          another.
          """
        )
      }
      return registry.add(middleware) ? registry.allStores : nil
    }
    if let stores { hubMiddleware?.join(identity, stores) }
  }

  /// Removes middleware; has no effect if it is not registered.
  ///
  /// Dispatches that have started continue with it. A travelling recorder returns to the present
  /// first. O(middleware), for a recorder O(stores) as well.
  public func unregister(middleware: any Middleware) {
    let removed = registry.withLock { $0.remove(middleware) }
    (removed as? any HubMiddleware)?.leave()
  }
}
