package import StrataBase
@_exported public import StrataCore

/// A store that responds to the actions of a ``Dispatcher`` with its reducer.
///
/// ```swift
/// struct Counter: InitialStateType { var count = 0 }
///
/// let store = FluxStore(identifier: "counter", reducer: CounterReducer())
/// try Dispatcher.default.register(store: store)
/// store.register(observer: view) { [weak view] state, _ in view?.show(state.count) }
/// Dispatcher.default.dispatch(CounterAction.increase)
/// ```
///
/// It is a `Store`: sinks, dispatchers, entity tables and persistence work with it. A persisted
/// store is created from the source of its state, like any other store:
/// `FluxStore(persistence, identifier: "todos", reducer: TodoReducer())`.
///
/// *Sinks* receive every commit. *Observers* are notified once for each action, at its end.
///
/// Inside this class and its subclasses `Dispatcher` means the dispatcher type of the store
/// (`Store.Dispatcher`); write `StrataFlux.Dispatcher` for the hub.
open class FluxStore<State: StateType, Action: FluxAction>: Store<State, Never>,
  @unchecked Sendable
{
  /// The name of this store for the hub, other stores and exported recordings.
  public let identifier: String
  /// The reducer of the store.
  public let reducer: Reducer<State, Action>

  let activeActions = ActiveActions<State, Action>()
  private var observers: Lock<ObserverList<State, Action>> { activeActions.observers }
  /// Receives the changes that are made here; nil without a recorder.
  package let changeObserver = Lock<(any ChangeObserver<State>)?>(nil)

  /// Creates a store with a state at version 0.
  public init(identifier: String, initialState: State, reducer: Reducer<State, Action>) {
    self.identifier = identifier
    self.reducer = reducer
    super.init(name: identifier, initialState: initialState)
  }

  /// Creates a store with the state that `source` restored, and attaches the source to it.
  public init(
    _ source: any StoreSource<State>,
    identifier: String,
    reducer: Reducer<State, Action>
  ) {
    self.identifier = identifier
    self.reducer = reducer
    super.init(source)
  }
}

/// A state with a default initial value.
public protocol InitialStateType: StateType {
  /// Creates the initial state.
  init()
}

extension FluxStore where State: InitialStateType {
  /// Creates a store with the state `State()`.
  public convenience init(identifier: String, reducer: Reducer<State, Action>) {
    self.init(identifier: identifier, initialState: State(), reducer: reducer)
  }
}

extension FluxStore: FluxStoreType {
  /// The last committed state.
  ///
  /// O(1).
  public var stateValue: any StateType { state }

  /// Whether the action is an `Action`.
  ///
  /// O(1).
  public func responds(to action: any FluxAction) -> Bool { action is Action }
}

extension FluxStore {
  /// Changes the state in one atomic step and returns the result of the closure.
  ///
  /// It is `commit` for operations: the same locks, the same cost, the same trap when called inside
  /// another commit of this store. In addition, a `RecorderMiddleware` keeps the closure, to apply
  /// it again when an earlier action is skipped. So the closure must use only the state that it
  /// receives, not values read before or from other stores, and must have no side effects. The
  /// recorder can travel through changes made by `commit`, but cannot skip actions before them.
  @discardableResult
  public func updateState<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) throws(E) -> R {
    guard let observer = changeObserver.withLock({ $0 }) else {
      return try commit(name, fileID: fileID, function: function, line: line, mutation)
    }
    return try commit(name, fileID: fileID, function: function, line: line) {
      (state, attachments) throws(E) -> R in
      observer.willUpdate(&attachments) { _ = try mutation(&$0) }
      return try mutation(&state)
    }
  }

  /// Commits the change that the reducer makes.
  func reduceState(_ action: Action) throws {
    let reducer = reducer
    guard let observer = changeObserver.withLock({ $0 }) else {
      return try commit(identifier) { state in try reducer.reduce(&state, action) }
    }
    var hasDecided = false
    defer { if hasDecided { observer.didReduce() } }
    try commit(identifier) { (state, attachments) throws -> Void in
      observer.willReduce(&attachments)
      do {
        try reducer.reduce(&state, action)
      } catch {
        hasDecided = true
        throw error
      }
    }
    hasDecided = true
  }
}

extension FluxStore where State: RuledStateType {
  /// Changes the state in one atomic step and returns the result of the closure.
  ///
  /// The same as `updateState` for any state, and it throws in its type: what the closure throws, and the
  /// error of a rule, middleware or file that refuses the commit; then it is rolled back.
  @discardableResult
  public func updateState<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) throws -> R {
    guard let observer = changeObserver.withLock({ $0 }) else {
      return try commit(name, fileID: fileID, function: function, line: line, mutation)
    }
    return try commit(name, fileID: fileID, function: function, line: line) {
      (state, attachments) in
      observer.willUpdate(&attachments) { _ = try mutation(&$0) }
      return try mutation(&state)
    }
  }
}

extension FluxStore {
  /// Calls `callback` at the end of every action that changed the state.
  ///
  /// The callback receives the state that is the last committed one when it runs, and the action, or
  /// nil when a recorder travels. The observer is held weakly: when it is deallocated, the callback
  /// is removed. The callback should capture it weakly too. An observer can register several
  /// callbacks. They run in the order of their registration, after every store that responds
  /// synchronously has done so, and can dispatch.
  ///
  /// Where actions overlap, an action calls for what it has changed itself: its reducer, its operation, and the tasks that it
  /// starts. A commit of no action, such as one on a queue of the program, counts for each action that is active then.
  ///
  /// Registering: amortized O(1). Notifying: O(1) for each observer, and nothing after an action that
  /// changed nothing.
  public func register(
    observer: some AnyObject & Sendable,
    queue: TargetQueue = .passthrough,
    callback: @escaping @Sendable (State, Action?) -> Void
  ) {
    let seen = observers.withLock { $0.add(observer, on: queue, callback: callback) }
    withExtendedLifetime(seen) {}
  }

  /// Calls `callback` on the main actor at the end of every action that changed the state.
  public func register(
    observer: some AnyObject & Sendable,
    queue: MainTargetQueue,
    callback: @escaping @MainActor @Sendable (State, Action?) -> Void
  ) {
    register(observer: observer, queue: queue.queue) { state, action in
      MainActor.assumeIsolated { callback(state, action) }
    }
  }

  /// Calls `callback` at the end of every action that changed the property.
  ///
  /// All observers of one property together cost one `==` for an action that does not change it.
  public func register<Value: Equatable & Sendable>(
    observer: some AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    queue: TargetQueue = .passthrough,
    callback: @escaping @Sendable (Value, Action?) -> Void
  ) {
    let seen = observers.withLock { observers in
      observers.add(observer, of: keyPath, on: queue) { state, action in
        callback(state[keyPath: keyPath], action)
      }
    }
    withExtendedLifetime(seen) {}
  }

  /// Calls `callback` on the main actor at the end of every action that changed the property.
  public func register<Value: Equatable & Sendable>(
    observer: some AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    queue: MainTargetQueue,
    callback: @escaping @MainActor @Sendable (Value, Action?) -> Void
  ) {
    register(observer: observer, of: keyPath, queue: queue.queue) { value, action in
      MainActor.assumeIsolated { callback(value, action) }
    }
  }

  /// Removes all callbacks of the observer.
  ///
  /// A callback that another thread has started finishes; none starts after this. O(observers).
  public func unregister(observer: some AnyObject) {
    // Releasing the callbacks can run code that registers or unregisters, so it happens unlocked.
    let (before, seen) = observers.withLock { observers in
      let before = observers
      return (before, observers.remove(observer))
    }
    withExtendedLifetime((before, seen)) {}
  }

  /// How many callbacks are stored, including those of deallocated observers.
  package var callbackCount: Int { observers.withLock { $0.callbackCount } }

  /// How many actions it is responding to.
  package var activeActionCount: Int { activeActions.count }

  package func notifyObservers(from old: State, to new: State, after action: Action?) {
    notifyObservers(of: observers.withLock { $0 }.changes(from: old, to: new), after: action)
  }

  func notifyObservers(of parts: Set<ObserverList<State, Action>.Part>, after action: Action?) {
    let due = observers.withLock { $0 }.due(for: parts)
    for observer in due.observers { observer.notify(of: self, after: action) }
    guard due.foundDeallocated else { return }
    let (before, seen) = observers.withLock { observers in
      let before = observers
      return (before, observers.compact())
    }
    withExtendedLifetime((before, seen)) {}
  }
}

/// Receives the changes that a ``FluxStore`` makes, to make them again on another state.
///
/// The recorder of StrataFluxRecorder has one for each store. A store without one pays one check.
package protocol ChangeObserver<State>: Sendable {
  /// The state of the store.
  associatedtype State: StateType

  /// `updateState` is about to make a change, in a commit with these attachments.
  func willUpdate(
    _ attachments: inout CommitAttachments,
    by change: @escaping @Sendable (inout State) throws -> Void
  )

  /// The reducer is about to change the state for an action, in a commit with these attachments.
  func willReduce(_ attachments: inout CommitAttachments)

  /// The reducer has changed the state, left it as it was, or thrown; not called if a rule or another
  /// hook of the store refused its commit.
  func didReduce()
}
