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
