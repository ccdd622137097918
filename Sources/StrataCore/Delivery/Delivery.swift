public import StrataBase

/// Publishes committed values and calls subscribers: every version once, in order, to each.
///
/// A caller delivers its own version itself, if nothing waits before it and nobody delivers; then also what
/// its sinks commit meanwhile. So a commit inside a sink returns at once and is delivered after the present
/// one has reached every sink. Everything else goes to one serial queue of the store, never to the next
/// caller: no caller waits for what other threads commit.
///
/// With more than 1,000 steps waiting, committers wait a little, to let subscribers catch up.
///
/// It holds the subscribers; their subscriptions do not. They are released behind the last delivery when
/// the store is released, although a derived value may hold this object for longer.
@usableFromInline
final class Delivery<State: Sendable, Activity: Sendable>: Sendable {
  let graph: DerivationGraph<State>
  @usableFromInline let queue: Lock<DeliveryQueue<State, Activity>>
  @usableFromInline let specialized: SpecializedDelivery<State, Activity>
  /// The queue of the store, created when it is first needed.
  private let workQueue = Lock<(any WorkQueue)?>(nil)

  @usableFromInline
  init(_ initial: Changes<State>, _ specialized: SpecializedDelivery<State, Activity>) {
    let graph = DerivationGraph<State>()
    self.specialized = specialized
    self.graph = graph
    queue = Lock(DeliveryQueue(Version(initial), graph: graph))
  }

  @inlinable var current: Version<State> { queue.withLock { $0.current } }

  /// Makes a version the current one, which waits until somebody delivers.
  ///
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

  /// Delivers what the caller has added, or leaves it to whom it belongs.
  @inlinable
  func drain() { specialized.drain(self) }

  /// Delivers all that waits, unless somebody else does.
  func drainAll() {
    queue.withLock { $0.claimAll() }
    drain()
  }

  /// Runs `call` when what waits now is delivered.
  func afterWaiting(_ call: @escaping @Sendable () -> Void) {
    queue.withLock { $0.addCall(call) }
    drain()
  }

  /// Has the queue of the store deliver what waits.
  @usableFromInline
  func handOver() {
    let queue = workQueue.withLock { queue in
      let known = queue ?? Scheduling.current.makeDeliveryQueue()
      queue = known
      return known
    }
    queue.enqueue { self.specialized.drainQueue(self) }
  }

  /// Waits at most 100 ms until there is room; returns how many steps wait if there is none, and was
  /// before.
  func waitForRoom() -> Int? {
    let end = Scheduling.now + .milliseconds(100)
    while queue.withLock({ $0.isCrowded }) {
      guard Scheduling.now < end else {
        return queue.withLock { queue in
          defer { queue.isBehind = true }
          return queue.isBehind ? nil : queue.count
        }
      }
      Scheduling.current.block(for: .microseconds(200))
    }
    return nil
  }

  @inlinable
  func deliverOwn() {
    var steps: [DeliveryQueue<State, Activity>.Step] = []
    var next = queue.withLock { $0.start(into: &steps) }
    let depth = ThreadWork.depth
    depth.pointee += 1
    defer { depth.pointee -= 1 }
    while case .deliver = next {
      while let step = steps.popLast() { step.deliver() }
      // The capacity of a burst is not kept.
      if steps.capacity > 1_024 { steps = [] }
      next = queue.withLock { $0.takeOwn(into: &steps) }
    }
    if case .handOver = next { handOver() }
  }

  /// Runs on the queue of the store.
  @inlinable
  func deliverQueued() {
    var steps: [DeliveryQueue<State, Activity>.Step] = []
    let depth = ThreadWork.depth
    depth.pointee += 1
    defer { depth.pointee -= 1 }
    while queue.withLock({ $0.takeNext(into: &steps) }) {
      while let step = steps.popLast() { step.deliver() }
    }
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
  @usableFromInline let drainQueue: @Sendable (Delivery<State, Activity>) -> Void

  @inlinable
  init() {
    publish = { delivery, version, log in
      delivery.queue.withLock { $0.show(version, log: log) }
    }
    drain = { $0.deliverOwn() }
    drainQueue = { $0.deliverQueued() }
  }
}
