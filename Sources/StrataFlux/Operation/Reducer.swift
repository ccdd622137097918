/// Says what a store does about each action: the class to subclass.
///
/// ```swift
/// final class CounterReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
///   override func operation(
///     for action: CounterAction,
///     in store: FluxStore<Counter, CounterAction>
///   ) -> ActionOperation<Counter, CounterAction> {
///     switch action {
///     case .increase:
///       ActionOperation(action: action, store: store) { operation, _, store in
///         store.updateState { $0.count += 1 }
///         operation.finish()
///       }
///     case .decrease:
///       …
///     }
///   }
/// }
/// ```
///
/// A reducer without effects of its own overrides ``reduce(_:_:)`` instead, which is shorter.
open class Reducer<State: StateType, Action: FluxAction>: @unchecked Sendable {
  /// Creates a reducer.
  public init() {}

  /// What is to be done about `action`.
  ///
  /// Called once for each dispatch, when the store's turn has come, on the thread that the mode
  /// gives. Unless overridden, an operation that commits ``reduce(_:_:)`` and finishes. An override
  /// may throw, and may be declared without `throws`; an error fails the dispatch for this store.
  open func operation(
    for action: Action,
    in store: FluxStore<State, Action>
  ) throws -> ActionOperation<State, Action> {
    ActionOperation(action: action, store: store) { operation, action, store in
      try store.reduceState(action)
      operation.finish()
    }
  }

  /// Changes the state for `action`, and does nothing else.
  ///
  /// Unless overridden, nothing. When it throws, the state is as it was.
  open func reduce(_ state: inout State, _ action: Action) throws {}

  /// Whether the store's observers are told after this action.
  ///
  /// Unless overridden, yes. They are told only of a state that was committed since.
  open func shouldNotifyObservers(
    for action: Action,
    in store: FluxStore<State, Action>
  ) -> Bool {
    true
  }
}
