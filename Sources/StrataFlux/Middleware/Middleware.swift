/// Looks on while actions reach stores: for logging, crash reports, routing, talking to a server.
///
/// It neither changes nor stops an action; to add one, it dispatches. All middleware of a
/// ``Dispatcher`` is called in the order of registration, on the thread that the mode gives, and is
/// waited for, so it is quick. Every method does nothing unless it is implemented.
public protocol Middleware: AnyObject, Sendable {
  /// An action is about to reach a store's reducer.
  ///
  /// - Parameters:
  ///   - transaction: The dispatch, the same for all stores that it reaches.
  ///   - action: What is dispatched.
  ///   - store: The store whose turn has come.
  func willDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType)

  /// A store is done with an action, in whatever way, and its observers were told.
  ///
  /// Called once for each `willDispatch`.
  func didDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType)

  /// Every store is done with an action; the `then` of the dispatch comes next.
  ///
  /// Called once for each dispatch that was not refused, also when no store answered.
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

/// Middleware that knows the stores of its hub and decides whether actions may pass.
protocol HubCompanion: Middleware {
  func join(_ hub: HubIdentity, _ stores: [any HubStore])
  func leave()
  func add(_ store: any HubStore)
  func remove(_ store: any HubStore)
  /// Called when a dispatch's turn has come.
  func admit(_ action: any FluxAction) throws(DispatchError)
}

/// The identity of a hub, outliving it.
final class HubIdentity: Sendable {}
