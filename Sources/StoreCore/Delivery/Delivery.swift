/// Publishes committed values and calls subscribers: every version once, in order, to each.
///
/// Whoever finds something waiting and nobody delivering delivers all of it. So a commit inside a
/// sink returns at once and is delivered after the present one has reached every sink, and a commit
/// that meets another thread's delivery leaves its own to that thread.
///
/// It keeps the subscribers, and their subscriptions do not: they go with the store.
final class Delivery<State: Sendable, Activity: Sendable>: Sendable {
  let graph: DerivationGraph<State>
  private let line: Lock<DeliveryLine<State, Activity>>

  init(_ initial: Changes<State>) {
    let graph = DerivationGraph<State>()
    self.graph = graph
    line = Lock(DeliveryLine(initial, graph: graph))
  }

  var current: Changes<State> { line.withLock { $0.current } }

  /// An edit of the last committed value.
  func beginEdit(
    trace: CommitTrace,
    causes: [ActionMetadata],
    by origin: ObjectIdentifier?
  ) -> Edit<State> where State: StateType {
    line.withLock { Edit(after: $0.current, trace: trace, causes: causes, by: origin) }
  }

  /// Publishes the changes and leaves those that were replaced in their place, so that they can be
  /// freed outside every lock.
  func publish(_ changes: inout Changes<State>, log: LogEntry?) {
    line.withLock { $0.publish(&changes, log: log) }
  }

  func replaceCurrent(with value: State) { _ = line.withLock { $0.replaceCurrent(with: value) } }

  func send(_ activity: Activity, log: LogEntry?) {
    line.withLock { $0.send(activity, log: log) }
    drain()
  }

  func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) -> StoreSubscription {
    line.withLock { $0.add(sink, first: first) }
    drain()
    return StoreSubscription { [weak self, weak sink] in
      sink?.cancel()
      self?.line.withLock { $0.stateSinks.noteCancelled() }
    }
  }

  func add(_ sink: Sink<Activity>) -> StoreSubscription {
    line.withLock { $0.activitySinks.append(sink) }
    return StoreSubscription { [weak self, weak sink] in
      sink?.cancel()
      self?.line.withLock { $0.activitySinks.noteCancelled() }
    }
  }

  /// Lets `begin` run in its turn, with the version that is current now; every later version is then
  /// told to the graph until `end` has been called.
  ///
  /// The subscription keeps what `end` keeps.
  func follow(
    begin: @escaping @Sendable (Changes<State>) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> StoreSubscription {
    line.withLock { $0.addFollower(begin) }
    drain()
    return StoreSubscription { [weak self] in
      end()
      self?.line.withLock { $0.removeFollower() }
    }
  }

  func drain() {
    guard line.withLock({ $0.beginDraining() }) else { return }
    while var steps = line.withLock({ $0.takeWaiting() }) {
      steps.reverse()
      while let step = steps.popLast() { step.deliver() }
    }
  }
}
