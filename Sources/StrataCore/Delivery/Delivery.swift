public import StrataBase

/// Publishes committed values and calls subscribers: every version once, in order, to each.
///
/// A caller that finds steps waiting and no other caller delivering delivers all of them. So a commit
/// inside a sink returns at once and is delivered after the present one has reached every sink, and a
/// commit during another thread's delivery leaves its own to that thread.
///
/// It holds the subscribers; their subscriptions do not. They are released behind the last delivery when
/// the store is released, although a derived value may hold this object for longer.
@usableFromInline
final class Delivery<State: Sendable, Activity: Sendable>: Sendable {
  let graph: DerivationGraph<State>
  @usableFromInline let queue: Lock<DeliveryQueue<State, Activity>>
  @usableFromInline let specialized: SpecializedDelivery<State, Activity>

  @usableFromInline
  init(_ initial: Changes<State>, _ specialized: SpecializedDelivery<State, Activity>) {
    let graph = DerivationGraph<State>()
    self.specialized = specialized
    self.graph = graph
    queue = Lock(DeliveryQueue(Version(initial), graph: graph))
  }

  @inlinable var current: Version<State> { queue.withLock { $0.current } }

  /// Returns the version that was replaced, so that it can be freed outside every lock.
  func publish(_ version: Version<State>, log: LogEntry?) -> Version<State> {
    specialized.publish(self, version, log)
  }

  func replaceCurrent(with value: State) { _ = queue.withLock { $0.replaceCurrent(with: value) } }

  func send(_ activity: Activity, log: LogEntry?) {
    queue.withLock { $0.send(activity, log: log) }
    drain()
  }

  func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) -> StoreSubscription {
    if first == .current, sink.takesFirstTurn() {
      let current = queue.withLock { queue in
        queue.add(sink, first: .nextCommit)
        return queue.current
      }
      sink.deliverFirst(current.changes.droppedPrevious())
    } else {
      queue.withLock { $0.add(sink, first: first) }
    }
    drain()
    return StoreSubscription { [weak self, weak cancellation = sink.cancellation] in
      cancellation?.cancel()
      self?.queue.withLock { $0.stateSinks.noteCancelled() }
    }
  }

  func add(_ sink: Sink<Activity>) -> StoreSubscription {
    queue.withLock { $0.activitySinks.append(sink) }
    return StoreSubscription { [weak self, weak cancellation = sink.cancellation] in
      cancellation?.cancel()
      self?.queue.withLock { $0.activitySinks.noteCancelled() }
    }
  }

  /// Runs `start` in its turn, with the version that is current now; the graph receives every later
  /// version until `end` has been called.
  ///
  /// `now` runs before this returns, with the same version. The subscription holds what `end` holds.
  func follow(
    now: ((Version<State>) -> Void)? = nil,
    start: @escaping @Sendable (Version<State>) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> StoreSubscription {
    let current = queue.withLock { queue in
      queue.addFollower(start)
      return queue.current
    }
    now?(current)
    drain()
    return StoreSubscription { [weak self] in
      end()
      self?.queue.withLock { $0.removeFollower() }
    }
  }

  /// Releases every subscriber behind the deliveries that wait, because the store has ended.
  func close() {
    queue.withLock { $0.close() }
    drain()
  }

  /// Delivers what waits, unless another caller is delivering already.
  @inlinable
  func drain() { specialized.drain(self) }

  @inlinable
  func deliverWaiting() {
    var steps: [DeliveryQueue<State, Activity>.Step] = []
    guard queue.withLock({ $0.startDraining(into: &steps) }) else { return }
    repeat {
      if steps.count > 1 { steps.reverse() }
      while let step = steps.popLast() { step.deliver() }
      // The capacity of a burst is not kept.
      if steps.capacity > 1_024 { steps = [] }
    } while queue.withLock({ $0.takeWaiting(into: &steps) })
  }
}

/// The hot methods of ``Delivery``, specialized for the types of a store.
///
/// The closures are created in the module that creates the store, where the types are known, so the
/// compiler specializes them: several times as fast as generic code.
@usableFromInline
struct SpecializedDelivery<State: Sendable, Activity: Sendable>: Sendable {
  @usableFromInline
  let publish: @Sendable (Delivery<State, Activity>, Version<State>, LogEntry?) -> Version<State>
  @usableFromInline let drain: @Sendable (Delivery<State, Activity>) -> Void

  @inlinable
  init() {
    publish = { delivery, version, log in
      delivery.queue.withLock { $0.publish(version, log: log) }
    }
    drain = { $0.deliverWaiting() }
  }
}
