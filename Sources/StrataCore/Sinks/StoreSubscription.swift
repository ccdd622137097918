import StrataBase

/// Keeps a subscription alive, and cancels it when it is released.
public final class StoreSubscription: Sendable, Hashable {
  private struct Cancellation: Sendable {
    var call: (@Sendable () -> Void)?
  }

  private let cancellation: Lock<Cancellation>

  init(onCancel: @escaping @Sendable () -> Void) {
    cancellation = Lock(Cancellation(call: onCancel))
  }

  deinit { cancel() }

  /// Ends the subscription: no delivery starts after this returns, not even one that waits on a queue
  /// already.
  ///
  /// A delivery that another thread has started runs to its end. May be called inside the sink, and
  /// more than once. Amortised O(1).
  public func cancel() {
    let action = cancellation.withLock { cancellation in
      defer { cancellation.call = nil }
      return cancellation.call
    }
    action?()
  }

  /// Adds the subscription to the set, which keeps it alive.
  public func store(in subscriptions: inout Set<StoreSubscription>) {
    subscriptions.insert(self)
  }

  /// Equal when it is the same subscription.
  public static func == (a: StoreSubscription, b: StoreSubscription) -> Bool { a === b }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// What a new subscriber receives at once.
public enum FirstDelivery: Sendable {
  /// The current value, without a previous value to compare it with.
  case current
  /// Nothing until the next commit.
  case nextCommit
}
