import StrataBase

/// A store that answers the actions of a ``Dispatcher`` by its reducer.
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
/// It is a `Store` underneath: sinks, dispatchers, entity tables and persistence work on it. One
/// that starts from a file is created from the source of its state, as any other store is:
/// `FluxStore(persistence, identifier: "todos", reducer: TodoReducer())`.
///
/// *Sinks* see every commit as it happens. *Observers* are told once for each action, at its end.
///
/// Inside this class and its subclasses `Dispatcher` means the dispatcher type of the store
/// (`Store.Dispatcher`); the hub is called `StrataFlux.Dispatcher` there.
open class FluxStore<State: StateType, Action: FluxAction>: Store<State, Never>,
  @unchecked Sendable
{
  /// What the hub, other stores and exported recordings call this store.
  public let identifier: String
  /// What the store does about each action.
  public let reducer: Reducer<State, Action>

  let observers = Lock(ObserverList<State, Action>())
  let tape = StoreTape<State>()

  /// Creates a store with a state at version 0.
  public init(identifier: String, initialState: State, reducer: Reducer<State, Action>) {
    self.identifier = identifier
    self.reducer = reducer
    super.init(name: identifier, initialState: initialState)
  }

  /// Creates a store from what `source` restored, and attaches the source to it.
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

/// A state that needs nothing to begin with.
public protocol InitialStateType: StateType {
  /// The state that a store begins with.
  init()
}

extension FluxStore where State: InitialStateType {
  /// Creates a store that begins with `State()`.
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
  /// Changes the state in one atomic step and returns what the closure returns.
  ///
  /// It is `commit` for operations: the same locks, the same cost, the same trap when called inside
  /// another commit of this store. What it adds is that a ``RecorderMiddleware`` keeps the closure,
  /// to apply it again when an earlier action is skipped. So the closure works on the state that it
  /// is given, not on what was read before or from other stores, and has no effects. A store changed
  /// by `commit` can be travelled through, but earlier actions cannot be skipped.
  @discardableResult
  public func updateState<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: @escaping @Sendable (inout State) throws(E) -> R
  ) throws(E) -> R {
    guard tape.isTapped else {
      return try commit(name, fileID: fileID, function: function, line: line, mutation)
    }
    let taped = TapedMutation.mutation(of: mutation)
    return try commit(name, fileID: fileID, function: function, line: line) {
      (state, attachments) throws(E) -> R in
      attachments[tape.mutation] = taped
      return try mutation(&state)
    }
  }

  /// Commits what the reducer makes of the state.
  func reduceState(_ action: Action) throws {
    let reducer = reducer
    guard tape.isTapped else {
      return try commit(identifier) { state in try reducer.reduce(&state, action) }
    }
    let taped = TapedMutation.reduction(of: action, by: reducer)
    try commit(identifier) { (state, attachments) throws -> Void in
      attachments[tape.mutation] = taped
      try reducer.reduce(&state, action)
    }
  }
}

extension FluxStore: HubStore {
  func answer(to action: any FluxAction) throws -> StoreAnswer {
    guard let action = action as? Action else {
      fatalError("\(identifier) was given an action of another store. Ask responds(to:) first.")
    }
    let before = changes
    let operation = try reducer.operation(for: action, in: self)
    return StoreAnswer(operation: operation) { [self] in
      guard changes.version != before.version else { return }
      guard reducer.shouldNotifyObservers(for: action, in: self) else { return }
      tellObservers(from: before.value, to: state, after: action)
    }
  }

  func observe(
    _ observer: some AnyObject & Sendable,
    _ call: @escaping @Sendable (ObserverCause) -> Void
  ) {
    register(observer: observer) { _, action in call(action == nil ? .travel : .action) }
  }

  func tap(_ tap: CommitTap, begin: (any StateType) -> Void) {
    tape.connect(tap, to: self, begin: begin)
  }

  func untap() { tape.disconnect() }

  func beginDetour() -> any StoreDetour { FluxDetour(self) }

  var coding: any StoreCoding { FluxCoding(reducer: reducer, store: identifier) }
}
