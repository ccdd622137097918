/// Middleware that knows the stores of its hub and decides whether an action is dispatched.
///
/// ``RecorderMiddleware`` is the only one. A hub has at most one.
protocol HubMiddleware: Middleware {
  /// Called when it is registered with a hub.
  func join(_ hub: Dispatcher.Identity, _ stores: [any HubStore])
  /// Called when it is unregistered.
  func leave()
  /// Called when a store is registered.
  func add(_ store: any HubStore)
  /// Called when a store is unregistered.
  func remove(_ store: any HubStore)
  /// Called when a dispatch starts; an error refuses the action.
  func admit(_ action: any FluxAction) throws(DispatchError)
}
