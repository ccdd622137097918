/// Publishes committed values and calls subscribers: every version once, in order, to each.
///
/// Whoever finds something waiting and nobody delivering delivers all of it. So a commit inside a
/// sink returns at once and is delivered after the present one has reached every sink, and a commit
/// that meets another thread's delivery leaves its own to that thread.
final class Delivery<State: Sendable, Activity: Sendable>: Sendable {
  typealias Line = DeliveryLine<State, Activity>

  private let line: Lock<Line>

  init(_ initial: Changes<State>) { line = Lock(Line(initial)) }

  var current: Changes<State> { line.withLock { $0.current } }

  func publish(_ changes: Changes<State>) { _ = line.withLock { $0.publish(changes) } }

  func replaceCurrent(with value: State) { line.withLock { $0.replaceCurrent(with: value) } }

  func send(_ activity: Activity) {
    line.withLock { $0.send(activity) }
    drain()
  }

  func addStateSink(
    first: FirstDelivery,
    _ sink: @escaping @Sendable (Changes<State>) -> Void
  ) -> StoreSubscription {
    subscription(line.withLock { $0.add(sink, first: first) })
  }

  func addActivitySink(_ sink: @escaping @Sendable (Activity) -> Void) -> StoreSubscription {
    subscription(line.withLock { $0.add(sink) })
  }

  private func subscription(_ id: Line.SinkID) -> StoreSubscription {
    drain()
    return StoreSubscription { [weak self] in self?.line.withLock { $0.remove(id) } }
  }

  func drain() {
    guard line.withLock({ $0.beginDraining() }) else { return }
    while let step = line.withLock({ $0.next() }) {
      switch step {
      case .changes(let changes, let sinks):
        for id in sinks { line.withLock { $0.stateSinks[id] }?(changes) }
      case .activity(let activity, let sinks):
        for id in sinks { line.withLock { $0.activitySinks[id] }?(activity) }
      }
    }
  }
}
