/// A store of a hub, independent of its types.
///
/// ``FluxStore`` is the only implementation; middleware and look-ups use it through this protocol.
public protocol FluxStoreType: AnyObject, Sendable {
  /// The name of the store for the hub and other stores; unique within a hub.
  var identifier: String { get }
  /// The last committed state.
  var stateValue: any StateType { get }
  /// Whether the action has the type that the store responds to.
  func responds(to action: any FluxAction) -> Bool
}

/// A store of a hub, whose types a generic function can open.
package protocol HubStore: FluxStoreType {
  /// The state of the store.
  associatedtype State: StateType
  /// The actions that it responds to.
  associatedtype Action: FluxAction
  /// The store itself.
  var typed: FluxStore<State, Action> { get }
}

extension FluxStore: HubStore {
  package var typed: FluxStore<State, Action> { self }
}

extension HubStore {
  /// Asks the reducer for an operation.
  ///
  /// Only for an action that the store responds to.
  func respond(to action: any FluxAction) throws -> StoreResponse {
    guard let action = action as? Action else {
      preconditionFailure(
        "The store \(identifier) received a \(type(of: action)), which is not its action type. "
          + "Call responds(to:) first."
      )
    }
    let store = typed
    let response = store.activeActions.start(in: store)
    let operation = try store.reducer.operation(for: action, in: store)
    return StoreResponse(operation: operation) {
      let changed = store.activeActions.end(response, in: store)
      guard !changed.isEmpty else { return }
      guard store.reducer.shouldNotifyObservers(for: action, in: store) else { return }
      store.notifyObservers(of: changed, after: action)
    }
  }
}

/// How a store responds to one action.
struct StoreResponse: Sendable {
  let operation: any StartableOperation
  /// Notifies the observers; called when the operation has ended.
  let notifyObservers: @Sendable () -> Void
}
