import StrataBase

/// Keeps a subscription alive; cancels it when it goes away.
public final class StoreSubscription: Sendable, Hashable {
  private let onCancel: Lock<(@Sendable () -> Void)?>

  init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = Lock(onCancel)
  }

  deinit { cancel() }

  /// Ends the subscription: no delivery begins after this returns, not even one that waits on a
  /// queue already.
  ///
  /// One that another thread has begun runs to its end. May be called inside the sink, and more
  /// than once. Amortised O(1).
  public func cancel() {
    let action = onCancel.withLock { action in
      defer { action = nil }
      return action
    }
    action?()
  }

  /// Keeps the subscription for as long as the set keeps it.
  public func store(in subscriptions: inout Set<StoreSubscription>) {
    subscriptions.insert(self)
  }

  /// Equal when it is the same subscription.
  public static func == (a: StoreSubscription, b: StoreSubscription) -> Bool { a === b }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
