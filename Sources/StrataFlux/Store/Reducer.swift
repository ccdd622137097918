/// Defines how a store responds to each action; subclass it.
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
/// A reducer without side effects overrides ``reduce(_:_:)`` instead, which is shorter.
open class Reducer<State: StateType, Action: FluxAction>: @unchecked Sendable {
  /// Creates a reducer.
  public init() {}

  /// Returns the operation that responds to `action`.
  ///
  /// Called once for each dispatch, when it reaches the store, on the thread of the mode. The
  /// default returns an operation that commits ``reduce(_:_:)`` and finishes. An override can throw,
  /// and can be declared without `throws`; an error fails the dispatch for this store.
  open func operation(
    for action: Action,
    in store: FluxStore<State, Action>
  ) throws -> ActionOperation<State, Action> {
    ActionOperation(action: action, store: store) { operation, action, store in
      try store.reduceState(action)
      operation.finish()
    }
  }

  /// Changes the state for `action`, without side effects.
  ///
  /// The default changes nothing. When it throws, the change is rolled back.
  open func reduce(_ state: inout State, _ action: Action) throws {}

  /// Whether the store's observers are notified after this action.
  ///
  /// The default returns true. Observers are notified only if the action committed.
  open func shouldNotifyObservers(
    for action: Action,
    in store: FluxStore<State, Action>
  ) -> Bool {
    true
  }
}

/// An event that stores respond to, such as a tap or a message.
///
/// ```swift
/// enum CounterAction: FluxAction {
///   case increase
///   case decrease
/// }
/// ```
///
/// A ``Dispatcher`` sends it to every store with this action type. Make it `Codable` so that
/// `RecorderMiddleware` can export its recordings.
public protocol FluxAction: Sendable {}
