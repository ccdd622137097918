/// The deliveries that wait for subscribers, in the order in which they were caused.
///
/// A value without locks or callbacks: ``Delivery`` holds the lock and calls the subscribers.
@usableFromInline
struct DeliveryQueue<State: Sendable, Activity: Sendable>: Sendable {
  /// One step of delivery: what to deliver, and to which subscribers.
  ///
  /// The subscribers are fixed when the step is added: a later subscriber starts at a later version.
  @usableFromInline
  enum Step: Sendable {
    case changes(Version<State>, SinkTargets<Changes<State>>)
    /// The same, then to the subscribers of derived values.
    case derivations(Version<State>, SinkTargets<Changes<State>>, DerivationGraph<State>)
    /// A subscriber of a derived value starts at this version.
    case start(Version<State>, @Sendable (Version<State>) -> Void)
    case activity(Activity, SinkTargets<Activity>, CarriedContext?)
    case log(LogEntry)
    /// The store has ended: the subscribers of derived values are released, and with the step those of the
    /// store.
    case end(SinkList<Changes<State>>, SinkList<Activity>, DerivationGraph<State>)

    @inlinable
    consuming func deliver() {
      switch consume self {
      case .changes(let version, let sinks):
        CarriedContext.deliver(version.changes.traces.first?.carried) {
          sinks.deliver(version.changes)
        }
      case .derivations(let version, let sinks, let graph):
        CarriedContext.deliver(version.changes.traces.first?.carried) {
          sinks.deliver(version.changes)
          graph.advance(to: version)
        }
      case .start(let version, let start):
        CarriedContext.deliver(version.changes.traces.first?.carried) { start(version) }
      case .activity(let activity, let sinks, let context):
        CarriedContext.deliver(context) { sinks.deliver(activity) }
      case .log(let entry): entry.write()
      case .end(_, _, let graph): graph.close()
      }
    }
  }

  /// The last committed value.
  @usableFromInline var current: Version<State>
  @usableFromInline var stateSinks = SinkList<Changes<State>>()
  var activitySinks = SinkList<Activity>()
  /// Receives each version while a derived value has subscribers.
  @usableFromInline let graph: DerivationGraph<State>
  @usableFromInline var followers = 0

  @usableFromInline var waiting: [Step] = []
  @usableFromInline var isDraining = false

  init(_ current: Version<State>, graph: DerivationGraph<State>) {
    self.current = current
    self.graph = graph
  }

  /// Returns the version that was replaced, so that it can be freed outside the lock.
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

  /// Returns the version that was replaced, so that it can be freed outside the lock.
  mutating func replaceCurrent(with value: State) -> Version<State> {
    let replaced = current
    current = Version(current.changes.replacingValue(with: value))
    return replaced
  }

  mutating func send(_ activity: Activity, log: LogEntry?) {
    if let log { waiting.append(.log(log)) }
    if !activitySinks.isEmpty {
      waiting.append(.activity(activity, activitySinks.targets, CommitContext.carried))
    }
  }

  mutating func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) {
    stateSinks.append(sink)
    if first == .current {
      waiting.append(.changes(Version(current.changes.droppedPrevious()), SinkList(sink).targets))
    }
  }

  /// Adds a subscriber of a derived value: the graph receives every version from here on, and `start`
  /// runs in its turn, with the current version.
  mutating func addFollower(_ start: @escaping @Sendable (Version<State>) -> Void) {
    followers += 1
    waiting.append(.start(current, start))
  }

  mutating func removeFollower() { followers -= 1 }

  /// Adds the last step, which takes the subscribers with it.
  mutating func close() {
    waiting.append(.end(stateSinks, activitySinks, graph))
    stateSinks = SinkList()
    activitySinks = SinkList()
  }

  /// Returns everything that waits if the caller is to deliver it, or false if another caller is
  /// delivering already.
  @inlinable
  mutating func startDraining(into steps: inout [Step]) -> Bool {
    isDraining ? false : takeWaiting(into: &steps)
  }

  /// Exchanges everything that waits for an empty list, or returns false if nothing waits; then the
  /// draining has ended.
  ///
  /// The whole batch is taken at once, so that values are freed outside the lock and a long queue costs
  /// O(1) per step. The list that is given in exchange provides the capacity for the next steps.
  @inlinable
  mutating func takeWaiting(into steps: inout [Step]) -> Bool {
    isDraining = !waiting.isEmpty
    swap(&steps, &waiting)
    return isDraining
  }
}
