/// The deliveries that wait for subscribers, in the order in which they were caused, and who makes them.
///
/// A value without locks or callbacks: ``Delivery`` holds the lock and calls the subscribers.
@usableFromInline
struct DeliveryQueue<State: Sendable, Activity: Sendable>: Sendable {
  /// One step of delivery: what to deliver, and to which subscribers.
  ///
  /// The subscribers are fixed when the step is added: a later subscriber starts at a later version.
  @usableFromInline
  enum Step: Sendable {
    case changes(Version<State>, SinkTargets<Changes<State>>, LogEntry? = nil)
    /// The same, then to the subscribers of derived values.
    case derivations(
      Version<State>,
      SinkTargets<Changes<State>>,
      DerivationGraph<State>,
      LogEntry?
    )
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
      case .changes(let version, let sinks, let log):
        log?.write()
        CarriedContext.deliver(version.changes.traces.first?.carried) {
          sinks.deliver(version.changes)
        }
      case .derivations(let version, let sinks, let graph, let log):
        log?.write()
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

  /// What waits, in its order; behind what the queue of the store has taken.
  @usableFromInline var waiting: [Step] = []
  /// What the queue of the store has taken, the last first.
  @usableFromInline var taken: [Step] = []
  @usableFromInline var deliverer = Deliverer.nobody
  /// How many steps at the front of `waiting` the caller that delivers has added.
  @usableFromInline var own = 0
  /// Whether a committer has waited for room and there was none, and there has been none since.
  @usableFromInline var isBehind = false

  /// How many steps wait.
  @inlinable var count: Int { waiting.count + taken.count }

  /// Whether so many steps wait that committers wait for room.
  @inlinable var isCrowded: Bool { count > 1_000 }

  init(_ current: Version<State>, graph: DerivationGraph<State>) {
    self.current = current
    self.graph = graph
  }

  /// Makes a version the current one, whose delivery its caller then starts.
  ///
  /// Returns the version that was replaced, so that it can be freed outside the lock.
  @inlinable
  mutating func publish(
    _ version: Version<State>,
    log: LogEntry?
  ) -> Version<State> {
    let before = waiting.count
    let replaced = show(version, log: log)
    claim(from: before)
    return replaced
  }

  /// The same for a version that waits until somebody delivers.
  @inlinable
  mutating func show(_ version: Version<State>, log: LogEntry?) -> Version<State> {
    let replaced = current
    current = version
    if followers > 0 {
      waiting.append(.derivations(current, stateSinks.targets, graph, log))
    } else if !stateSinks.isEmpty {
      waiting.append(.changes(current, stateSinks.targets, log))
    } else if let log {
      waiting.append(.log(log))
    }
    return replaced
  }

  /// Leaves the steps from `start` on to the caller that added them, if nothing waits before them and
  /// nobody else delivers.
  @inlinable
  mutating func claim(from start: Int) {
    let added = waiting.count - start
    guard added > 0 else { return }
    switch deliverer {
    case .nobody where start == 0:
      deliverer = .caller(ThreadWork.thread)
      own = added
    case .caller(let thread), .callerDelivering(let thread):
      if own == start, thread == ThreadWork.thread { own += added }
    case .nobody, .queue: break
    }
  }

  /// Returns the version that was replaced, so that it can be freed outside the lock.
  mutating func replaceCurrent(with value: State) -> Version<State> {
    let replaced = current
    current = Version(current.changes.replacingValue(with: value))
    return replaced
  }

  mutating func send(_ activity: Activity, log: LogEntry?) {
    let start = waiting.count
    defer { claim(from: start) }
    if let log { waiting.append(.log(log)) }
    if !activitySinks.isEmpty {
      waiting.append(.activity(activity, activitySinks.targets, CommitContext.carried))
    }
  }

  mutating func add(_ sink: Sink<Changes<State>>, first: FirstDelivery) {
    stateSinks.append(sink)
    if first == .current {
      waiting.append(.changes(Version(current.changes.droppedPrevious()), SinkList(sink).targets))
      claim(from: waiting.count - 1)
    }
  }

  /// Adds a subscriber of a derived value: the graph receives every version from here on, and `start`
  /// runs in its turn, with the current version.
  mutating func addFollower(_ start: @escaping @Sendable (Version<State>) -> Void) {
    followers += 1
    waiting.append(.start(current, start))
    claim(from: waiting.count - 1)
  }

  mutating func removeFollower() { followers -= 1 }

  /// Adds the last step, which takes the subscribers with it.
  mutating func close() {
    waiting.append(.end(stateSinks, activitySinks, graph))
    claim(from: waiting.count - 1)
    stateSinks = SinkList()
    activitySinks = SinkList()
  }

  /// Adds a call that runs when what waits now is delivered.
  mutating func addCall(_ call: @escaping @Sendable () -> Void) {
    waiting.append(.log(LogEntry(write: call)))
    claim(from: waiting.count - 1)
  }
}

extension DeliveryQueue {
  /// Who calls the subscribers.
  @usableFromInline
  enum Deliverer: Sendable {
    case nobody
    /// The thread of a caller that has added the first step and not started yet.
    case caller(UInt)
    /// The same, that has started.
    case callerDelivering(UInt)
    /// The queue of the store.
    case queue
  }

  /// What a caller does next.
  @usableFromInline
  enum Next {
    /// Deliver the steps it was given.
    case deliver
    /// Have the queue of the store deliver what waits.
    case handOver
    case nothing
  }

  /// Starts the delivery of what the caller has added.
  @inlinable
  mutating func start(into steps: inout [Step]) -> Next {
    switch deliverer {
    case .caller(let thread):
      guard thread == ThreadWork.thread else { return .nothing }
      deliverer = .callerDelivering(thread)
      return takeOwn(into: &steps)
    case .nobody:
      guard !waiting.isEmpty else { return .nothing }
      deliverer = .queue
      return .handOver
    case .callerDelivering, .queue: return .nothing
    }
  }

  /// Leaves all that waits to the caller, if nobody delivers.
  mutating func claimAll() {
    if case .nobody = deliverer { claim(from: 0) }
  }

  /// Exchanges what the caller has added for an empty list; what others have added behind it is left to
  /// the queue of the store.
  ///
  /// All of it is taken at once, so that values are freed outside the lock and a long queue costs O(1) per
  /// step. The list that is given in exchange provides the capacity for the next steps.
  @inlinable
  mutating func takeOwn(into steps: inout [Step]) -> Next {
    defer { own = 0 }
    guard own > 0 else {
      deliverer = waiting.isEmpty ? .nobody : .queue
      return waiting.isEmpty ? .nothing : .handOver
    }
    if own == waiting.count {
      swap(&steps, &waiting)
      steps.reverse()
    } else {
      steps.append(contentsOf: waiting[..<own].reversed())
      waiting.removeFirst(own)
    }
    return .deliver
  }

  /// Gives the queue of the store its next steps, the last first; false if nothing waits, and then it has
  /// ended.
  ///
  /// A few at a time: what it has not delivered counts as waiting.
  @inlinable
  mutating func takeNext(into steps: inout [Step]) -> Bool {
    if taken.isEmpty {
      swap(&taken, &waiting)
      taken.reverse()
    }
    if !isCrowded { isBehind = false }
    if taken.isEmpty {
      deliverer = .nobody
      // The capacity of a burst is not kept.
      if taken.capacity > 1_024 { taken = [] }
      return false
    }
    let count = min(64, taken.count)
    steps.append(contentsOf: taken.suffix(count))
    taken.removeLast(count)
    return true
  }
}
