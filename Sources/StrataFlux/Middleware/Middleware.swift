/// Observes actions on their way to stores: for logging, crash reports, routing, or requests to a
/// server.
///
/// Middleware neither changes nor stops an action; to add one, it dispatches. All middleware of a
/// ``Dispatcher`` is called in the order of registration, on the thread of the dispatch, which waits
/// for it, so it should be quick. Every method has a default implementation that does nothing.
public protocol Middleware: AnyObject, Sendable {
  /// An action is about to reach a store's reducer.
  ///
  /// - Parameters:
  ///   - transaction: The dispatch, the same for all stores that it reaches.
  ///   - action: The dispatched action.
  ///   - store: The store that receives it.
  func willDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType)

  /// A store has finished or failed an action, and its observers were notified.
  ///
  /// Called once for each `willDispatch`.
  func didDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType)

  /// Every store is done with an action; the `then` of the dispatch comes next.
  ///
  /// Called once for each dispatch that was not refused, even if no store responded.
  func didFinish(transaction: String, action: any FluxAction)
}

extension Middleware {
  /// Does nothing.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {}

  /// Does nothing.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {}

  /// Does nothing.
  public func didFinish(transaction: String, action: any FluxAction) {}
}
