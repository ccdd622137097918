/// What waits to be told to subscribers, in the order in which it happened.
///
/// Pure bookkeeping: ``Delivery`` holds the lock and calls the subscribers.
struct DeliveryLine<State: Sendable, Activity: Sendable>: Sendable {
  typealias SinkID = UInt64
  typealias Sink<Element> = @Sendable (Element) -> Void

  /// One step of delivery: what to call, with what.
  enum Step: Sendable {
    case changes(Changes<State>, [SinkID])
    case activity(Activity, [SinkID])
  }

  /// The last committed value.
  private(set) var current: Changes<State>
  private(set) var stateSinks: [SinkID: Sink<Changes<State>>] = [:]
  private(set) var activitySinks: [SinkID: Sink<Activity>] = [:]

  /// Who sees a step is fixed when it happens: a later subscriber starts at a later version.
  private var waiting: [Step] = []
  private var nextWaiting = 0
  private var isDraining = false
  private var lastID: SinkID = 0
  /// In the order of subscription, as dictionaries keep none.
  private var stateOrder: [SinkID] = []
  private var activityOrder: [SinkID] = []

  init(_ current: Changes<State>) { self.current = current }

  /// Gives the value that was replaced, so that it can be freed outside the lock.
  mutating func publish(_ changes: Changes<State>) -> Changes<State> {
    let replaced = current
    current = changes
    if !stateOrder.isEmpty { waiting.append(.changes(changes, stateOrder)) }
    return replaced
  }

  mutating func replaceCurrent(with value: State) {
    current = current.replacingValue(with: value)
  }

  mutating func send(_ activity: Activity) {
    if !activityOrder.isEmpty { waiting.append(.activity(activity, activityOrder)) }
  }

  mutating func add(
    _ sink: @escaping Sink<Changes<State>>,
    first: FirstDelivery
  ) -> SinkID {
    lastID += 1
    stateSinks[lastID] = sink
    stateOrder.append(lastID)
    if first == .current { waiting.append(.changes(current.droppedPrevious(), [lastID])) }
    return lastID
  }

  mutating func add(_ sink: @escaping Sink<Activity>) -> SinkID {
    lastID += 1
    activitySinks[lastID] = sink
    activityOrder.append(lastID)
    return lastID
  }

  mutating func remove(_ id: SinkID) {
    if stateSinks.removeValue(forKey: id) != nil { stateOrder.removeAll { $0 == id } }
    if activitySinks.removeValue(forKey: id) != nil { activityOrder.removeAll { $0 == id } }
  }

  /// Whether the caller is to deliver now; false when someone else does already.
  mutating func beginDraining() -> Bool {
    guard !isDraining, nextWaiting < waiting.count else { return false }
    isDraining = true
    return true
  }

  /// The next step, or nil when all is told; then the draining has ended.
  mutating func next() -> Step? {
    guard nextWaiting < waiting.count else {
      waiting.removeAll(keepingCapacity: waiting.capacity <= 64)
      nextWaiting = 0
      isDraining = false
      return nil
    }
    defer {
      nextWaiting += 1
      if nextWaiting == 64 {
        waiting.removeFirst(nextWaiting)
        nextWaiting = 0
      }
    }
    return waiting[nextWaiting]
  }
}

/// What a new subscriber is told at once.
public enum FirstDelivery: Sendable {
  /// The current value, with nothing before it to compare with.
  case current
  /// Nothing until the next commit.
  case nextCommit
}
