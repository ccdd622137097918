public import StrataBase

/// Publishes committed values and calls subscribers: every version once, in order, to each.
///
/// Whoever finds something waiting and nobody delivering delivers all of it. So a commit inside a
/// sink returns at once and is delivered after the present one has reached every sink, and a commit
/// that meets another thread's delivery leaves its own to that thread.
///
/// It keeps the subscribers, and their subscriptions do not: they go with the store.
@usableFromInline
final class Delivery<State: Sendable, Activity: Sendable>: Sendable {
  let graph: DerivationGraph<State>
  @usableFromInline let line: Lock<DeliveryLine<State, Activity>>
  private let work: DeliveryWork<State, Activity>

  @usableFromInline
  init(_ initial: Changes<State>, _ work: DeliveryWork<State, Activity>) {
    let graph = DerivationGraph<State>()
    self.work = work
    self.graph = graph
    line = Lock(DeliveryLine(Version(initial), graph: graph))
  }

  var current: Version<State> { line.withLock { $0.current } }

  /// An edit of the last committed value.
  func beginEdit(
    trace: CommitTrace,
    causes: [ActionMetadata],
    by origin: ObjectIdentifier?
  ) -> Edit<State> where State: StateType {
    Edit(after: current.changes, trace: trace, causes: causes, by: origin)
  }

  /// Gives the version that was replaced, so that it can be freed outside every lock.
  func publish(_ version: Version<State>, log: LogEntry?) -> Version<State> {
    work.publish(self, version, log)
  }

  func replaceCurrent(with value: State) { _ = line.withLock { $0.replaceCurrent(with: value) } }

  func send(_ activity: Activity, log: LogEntry?) {
    line.withLock { $0.send(activity, log: log) }
    drain()
  }

  func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) -> StoreSubscription {
    line.withLock { $0.add(sink, first: first) }
    drain()
    return StoreSubscription { [weak self, weak end = sink.end] in
      end?.cancel()
      self?.line.withLock { $0.stateSinks.noteCancelled() }
    }
  }

  func add(_ sink: Sink<Activity>) -> StoreSubscription {
    line.withLock { $0.activitySinks.append(sink) }
    return StoreSubscription { [weak self, weak end = sink.end] in
      end?.cancel()
      self?.line.withLock { $0.activitySinks.noteCancelled() }
    }
  }

  /// Lets `begin` run in its turn, with the version that is current now; every later version is then
  /// told to the graph until `end` has been called.
  ///
  /// The subscription keeps what `end` keeps.
  func follow(
    begin: @escaping @Sendable (Version<State>) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> StoreSubscription {
    line.withLock { $0.addFollower(begin) }
    drain()
    return StoreSubscription { [weak self] in
      end()
      self?.line.withLock { $0.removeFollower() }
    }
  }

  /// Delivers what waits, unless someone does already.
  func drain() { work.drain(self) }

  @inlinable
  func deliverWaiting() {
    var steps: [DeliveryLine<State, Activity>.Step] = []
    guard line.withLock({ $0.beginDraining(into: &steps) }) else { return }
    repeat {
      if steps.count > 1 { steps.reverse() }
      while let step = steps.popLast() { step.deliver() }
      // Not the room of a burst.
      if steps.capacity > 1_024 { steps = [] }
    } while line.withLock({ $0.takeWaiting(into: &steps) })
  }
}

/// How a version is published, and what waits delivered.
///
/// The closures are made where the types are known, in the module that creates the store, and so are
/// compiled for them: several times as fast as generic code.
@usableFromInline
struct DeliveryWork<State: Sendable, Activity: Sendable>: Sendable {
  @usableFromInline
  let publish: @Sendable (Delivery<State, Activity>, Version<State>, LogEntry?) -> Version<State>
  @usableFromInline let drain: @Sendable (Delivery<State, Activity>) -> Void

  @inlinable
  init() {
    publish = { delivery, version, log in
      delivery.line.withLock { $0.publish(version, log: log) }
    }
    drain = { $0.deliverWaiting() }
  }
}
