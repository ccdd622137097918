/// What waits to be told to subscribers, in the order in which it happened.
///
/// Pure bookkeeping: ``Delivery`` holds the lock and calls the subscribers.
struct DeliveryLine<State: Sendable, Activity: Sendable>: Sendable {
  /// One step of delivery: what to tell, and whom.
  ///
  /// Whom is fixed when it happens: a later subscriber starts at a later version.
  enum Step: Sendable {
    case changes(Changes<State>, [Sink<Changes<State>>])
    /// The same, then to whoever follows a value derived from the state.
    case derivations(Changes<State>, [Sink<Changes<State>>], DerivationGraph<State>)
    /// Someone begins to follow a derived value, at this version.
    case beginning(Changes<State>, @Sendable (Changes<State>) -> Void)
    case activity(Activity, [Sink<Activity>])
    case log(LogEntry)

    func deliver() {
      switch self {
      case .changes(let changes, let sinks):
        for sink in sinks { sink.deliver(changes) }
      case .derivations(let changes, let sinks, let graph):
        for sink in sinks { sink.deliver(changes) }
        graph.advance(to: changes)
      case .beginning(let changes, let begin): begin(changes)
      case .activity(let activity, let sinks): for sink in sinks { sink.deliver(activity) }
      case .log(let entry): entry.tell()
      }
    }
  }

  /// The last committed value.
  private(set) var current: Changes<State>
  var stateSinks = SinkList<Changes<State>>()
  var activitySinks = SinkList<Activity>()
  /// Asked about each version while someone follows a derived value.
  private let graph: DerivationGraph<State>
  private var followers = 0

  private var waiting: [Step] = []
  private var isDraining = false

  init(_ current: Changes<State>, graph: DerivationGraph<State>) {
    self.current = current
    self.graph = graph
  }

  /// Leaves the changes that were replaced in place of the new ones, so that they can be freed
  /// outside the lock.
  mutating func publish(_ changes: inout Changes<State>, log: LogEntry?) {
    swap(&current, &changes)
    if let log { waiting.append(.log(log)) }
    if followers > 0 {
      waiting.append(.derivations(current, stateSinks.sinks, graph))
    } else if !stateSinks.sinks.isEmpty {
      waiting.append(.changes(current, stateSinks.sinks))
    }
  }

  /// Gives the changes that were replaced, so that they can be freed outside the lock.
  mutating func replaceCurrent(with value: State) -> Changes<State> {
    let replaced = current
    current = current.replacingValue(with: value)
    return replaced
  }

  mutating func send(_ activity: Activity, log: LogEntry?) {
    if let log { waiting.append(.log(log)) }
    if !activitySinks.sinks.isEmpty { waiting.append(.activity(activity, activitySinks.sinks)) }
  }

  mutating func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) {
    stateSinks.append(sink)
    if first == .current { waiting.append(.changes(current.droppedPrevious(), [sink])) }
  }

  /// From here on the graph is asked; `begin` runs in its turn, at the present version.
  mutating func addFollower(_ begin: @escaping @Sendable (Changes<State>) -> Void) {
    followers += 1
    waiting.append(.beginning(current, begin))
  }

  mutating func removeFollower() { followers -= 1 }

  /// Whether the caller is to deliver now; false when someone else does already.
  mutating func beginDraining() -> Bool {
    guard !isDraining, !waiting.isEmpty else { return false }
    isDraining = true
    return true
  }

  /// All that waits, or nil when all is told; then the draining has ended.
  ///
  /// The whole batch leaves at once, so that values are freed outside the lock and a long queue
  /// costs O(1) a step.
  mutating func takeWaiting() -> [Step]? {
    guard !waiting.isEmpty else {
      isDraining = false
      return nil
    }
    defer { waiting = [] }
    return waiting
  }
}

/// What a new subscriber is told at once.
public enum FirstDelivery: Sendable {
  /// The current value, with nothing before it to compare with.
  case current
  /// Nothing until the next commit.
  case nextCommit
}
