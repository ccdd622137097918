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
