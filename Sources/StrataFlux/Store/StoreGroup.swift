import StrataBase

/// Calls back once for each dispatch that changed any of several stores.
///
/// For what is computed from more than one store: however many of them an action changes, there is
/// one call, when all are done, and it sees them all as they are.
///
/// ```swift
/// let group = try StoreGroup(["country", "city"], of: dispatcher) { … }
/// ```
///
/// The group is registered until ``cancel()``, or until it goes. While a recorder travels it calls
/// back for each store that moves, after all have. It is the group and container of facebook/flux,
/// without a view.
public final class StoreGroup: Sendable {
  private let watcher: Watcher
  private let hub: Dispatcher

  /// Creates a group of registered stores.
  ///
  /// O(stores); each dispatch then costs a look at one flag.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``; ``RegistrationError/emptyGroup``.
  public init(
    _ identifiers: [String],
    of hub: Dispatcher,
    callback: @escaping @Sendable () -> Void
  ) throws(RegistrationError) {
    guard !identifiers.isEmpty else { throw .emptyGroup }
    let watcher = Watcher(of: hub.identity, callback: callback)
    for identifier in identifiers {
      guard let store = hub.registry.withLock({ $0.store(with: identifier) }) else {
        throw .notRegistered(identifier)
      }
      store.observe(watcher) { [weak watcher] cause in watcher?.note(cause) }
    }
    self.watcher = watcher
    self.hub = hub
    hub.register(middleware: watcher)
  }

  deinit { cancel() }

  /// Ends the calls.
  ///
  /// One that another thread has begun runs to its end.
  public func cancel() {
    watcher.cancel()
    hub.unregister(middleware: watcher)
  }
}

/// Why observers are told.
enum ObserverCause: Sendable {
  case action
  case travel
}

private final class Watcher: Middleware {
  private struct Standing: Sendable {
    /// The dispatches under way, and whether observers were told of a change by each.
    var underWay: [String: Bool] = [:]
    /// Whether they were told outside of these.
    var hasChanged = false
    var isCancelled = false
  }

  private let hub: HubIdentity
  private let callback: @Sendable () -> Void
  private let standing = Lock(Standing())

  init(of hub: HubIdentity, callback: @escaping @Sendable () -> Void) {
    self.hub = hub
    self.callback = callback
  }

  func willDispatch(transaction: String, action: any FluxAction, in store: any FluxStoreType) {
    standing.withLock { standing in
      if standing.underWay[transaction] == nil { standing.underWay[transaction] = false }
    }
  }

  func note(_ cause: ObserverCause) {
    let dispatch = DispatchContext.dispatch
    standing.withLock { standing in
      if cause == .action, let dispatch, dispatch.hub === hub,
        standing.underWay[dispatch.transaction] != nil
      {
        standing.underWay[dispatch.transaction] = true
      } else {
        standing.hasChanged = true
      }
    }
    if cause == .travel { call(false) }
  }

  func didFinish(transaction: String, action: any FluxAction) {
    call(standing.withLock { $0.underWay.removeValue(forKey: transaction) } == true)
  }

  func cancel() { standing.withLock { $0.isCancelled = true } }

  private func call(_ hasChanged: Bool) {
    let isDue = standing.withLock { standing in
      defer { standing.hasChanged = false }
      return (hasChanged || standing.hasChanged) && !standing.isCancelled
    }
    if isDue { callback() }
  }
}
