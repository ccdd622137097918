import StrataBase

/// Calls back once for each dispatch that changed any of several stores.
///
/// Use it for values computed from more than one store: whatever number of them an action changes,
/// there is one call, when all are done.
///
/// ```swift
/// let group = try StoreGroup(["country", "city"], of: dispatcher) { … }
/// ```
///
/// The group is registered until ``cancel()`` or until it is deallocated. While a recorder travels it
/// calls back for each store that changes, after all have changed. It corresponds to the group and
/// container of facebook/flux, without a view.
public final class StoreGroup: Sendable {
  /// Why observers are notified.
  enum Cause: Sendable {
    case action
    case travel
  }

  private let middleware: GroupMiddleware
  private let hub: Dispatcher

  /// Creates a group of registered stores.
  ///
  /// O(stores); each dispatch then checks one flag.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``; ``RegistrationError/emptyGroup``.
  public init(
    _ identifiers: [String],
    of hub: Dispatcher,
    callback: @escaping @Sendable () -> Void
  ) throws(RegistrationError) {
    guard !identifiers.isEmpty else { throw .emptyGroup }
    let middleware = GroupMiddleware(of: hub.identity, callback: callback)
    for identifier in identifiers {
      guard let store = hub.hubStore(with: identifier) else { throw .notRegistered(identifier) }
      store.observe(middleware) { [weak middleware] cause in middleware?.storeDidChange(cause) }
    }
    self.middleware = middleware
    self.hub = hub
    hub.register(middleware: middleware)
  }

  deinit { cancel() }

  /// Stops calling back.
  ///
  /// A callback that another thread has started finishes.
  public func cancel() {
    middleware.cancel()
    hub.unregister(middleware: middleware)
  }
}

extension HubStore {
  /// Calls `callback` when observers are notified, until `observer` is deallocated.
  fileprivate func observe(
    _ observer: some AnyObject & Sendable,
    _ callback: @escaping @Sendable (StoreGroup.Cause) -> Void
  ) {
    typed.register(observer: observer) { _, action in callback(action == nil ? .travel : .action) }
  }
}

private final class GroupMiddleware: Middleware {
  private struct Status: Sendable {
    /// The active dispatches, and whether each notified observers of a change.
    var dispatches: [String: Bool] = [:]
    /// Whether observers were notified outside of these dispatches.
    var hasChanged = false
    var isCancelled = false
  }

  private let hub: Dispatcher.Identity
  private let callback: @Sendable () -> Void
  private let status = Lock(Status())

  init(of hub: Dispatcher.Identity, callback: @escaping @Sendable () -> Void) {
    self.hub = hub
    self.callback = callback
  }

  func willDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType) {
    status.withLock { status in
      if status.dispatches[transaction] == nil { status.dispatches[transaction] = false }
    }
  }

  func storeDidChange(_ cause: StoreGroup.Cause) {
    let dispatch = DispatchID.current
    status.withLock { status in
      if cause == .action, let dispatch, dispatch.hub === hub,
        status.dispatches[dispatch.transaction] != nil
      {
        status.dispatches[dispatch.transaction] = true
      } else {
        status.hasChanged = true
      }
    }
    if cause == .travel { call(false) }
  }

  func didFinish(transaction: String, action: any FluxAction) {
    call(status.withLock { $0.dispatches.removeValue(forKey: transaction) } == true)
  }

  func cancel() { status.withLock { $0.isCancelled = true } }

  private func call(_ hasChanged: Bool) {
    let isDue = status.withLock { status in
      defer { status.hasChanged = false }
      return (hasChanged || status.hasChanged) && !status.isCancelled
    }
    if isDue { callback() }
  }
}
