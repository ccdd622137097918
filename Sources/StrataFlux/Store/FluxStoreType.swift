/// A store of a hub, whatever its types.
///
/// ``FluxStore`` is the one implementation; this is what middleware and look-ups see of it.
public protocol FluxStoreType: AnyObject, Sendable {
  /// What the hub and other stores call it; unique within a hub.
  var identifier: String { get }
  /// The last committed state.
  var stateValue: any StateType { get }
  /// Whether the action is of the type that the store answers.
  func responds(to action: any FluxAction) -> Bool
}
