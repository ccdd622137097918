/// What waits to be told to subscribers, in the order in which it happened.
///
/// Pure bookkeeping: ``Delivery`` holds the lock and calls the subscribers.
@usableFromInline
struct DeliveryLine<State: Sendable, Activity: Sendable>: Sendable {
  /// One step of delivery: what to tell, and whom.
  ///
  /// Whom is fixed when it happens: a later subscriber starts at a later version.
  @usableFromInline
  enum Step: Sendable {
    case changes(Version<State>, SinkTargets<Changes<State>>)
    /// The same, then to whoever follows a value derived from the state.
    case derivations(Version<State>, SinkTargets<Changes<State>>, DerivationGraph<State>)
    /// Someone begins to follow a derived value, at this version.
    case beginning(Version<State>, @Sendable (Version<State>) -> Void)
    case activity(Activity, SinkTargets<Activity>)
    case log(LogEntry)

    @inlinable
    consuming func deliver() {
      switch consume self {
      case .changes(let version, let sinks):
        sinks.deliver(version.changes)
      case .derivations(let version, let sinks, let graph):
        sinks.deliver(version.changes)
        graph.advance(to: version)
      case .beginning(let version, let begin): begin(version)
      case .activity(let activity, let sinks): sinks.deliver(activity)
      case .log(let entry): entry.tell()
      }
    }
  }

  /// The last committed value.
  @usableFromInline var current: Version<State>
  @usableFromInline var stateSinks = SinkList<Changes<State>>()
  var activitySinks = SinkList<Activity>()
  /// Asked about each version while someone follows a derived value.
  @usableFromInline let graph: DerivationGraph<State>
  @usableFromInline var followers = 0

  @usableFromInline var waiting: [Step] = []
  @usableFromInline var isDraining = false

  init(_ current: Version<State>, graph: DerivationGraph<State>) {
    self.current = current
    self.graph = graph
  }

  /// Gives the version that was replaced, so that it can be freed outside the lock.
  @inlinable
  mutating func publish(_ version: Version<State>, log: LogEntry?) -> Version<State> {
    let replaced = current
    current = version
    if let log { waiting.append(.log(log)) }
    if followers > 0 {
      waiting.append(.derivations(current, stateSinks.targets, graph))
    } else if !stateSinks.isEmpty {
      waiting.append(.changes(current, stateSinks.targets))
    }
    return replaced
  }

  /// Gives the version that was replaced, so that it can be freed outside the lock.
  mutating func replaceCurrent(with value: State) -> Version<State> {
    let replaced = current
    current = Version(current.changes.replacingValue(with: value))
    return replaced
  }

  mutating func send(_ activity: Activity, log: LogEntry?) {
    if let log { waiting.append(.log(log)) }
    if !activitySinks.isEmpty { waiting.append(.activity(activity, activitySinks.targets)) }
  }

  mutating func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) {
    stateSinks.append(sink)
    if first == .current {
      waiting.append(.changes(Version(current.changes.droppedPrevious()), SinkList(sink).targets))
    }
  }

  /// From here on the graph is asked; `begin` runs in its turn, at the present version.
  mutating func addFollower(_ begin: @escaping @Sendable (Version<State>) -> Void) {
    followers += 1
    waiting.append(.beginning(current, begin))
  }

  mutating func removeFollower() { followers -= 1 }

  /// Gives all that waits when the caller is to deliver it; false when someone else does already.
  @inlinable
  mutating func beginDraining(into steps: inout [Step]) -> Bool {
    isDraining ? false : takeWaiting(into: &steps)
  }

  /// Gives all that waits in exchange for an empty list; false when all is told, and then the draining
  /// has ended.
  ///
  /// The whole batch leaves at once, so that values are freed outside the lock and a long queue
  /// costs O(1) a step. The list that comes back is where the next steps find room.
  @inlinable
  mutating func takeWaiting(into steps: inout [Step]) -> Bool {
    isDraining = !waiting.isEmpty
    swap(&steps, &waiting)
    return isDraining
  }
}

/// What a new subscriber is told at once.
public enum FirstDelivery: Sendable {
  /// The current value, with nothing before it to compare with.
  case current
  /// Nothing until the next commit.
  case nextCommit
}
