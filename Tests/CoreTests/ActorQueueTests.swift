import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

/// Collects what it receives, and lets a test wait for it.
private actor Collector<Element: Sendable> {
  private(set) var elements: [Element] = []
  private var waiting: [(count: Int, continuation: CheckedContinuation<[Element], Never>)] = []
  var subscription: StoreSubscription?

  func take(_ element: Element) {
    elements.append(element)
    for one in waiting where one.count <= elements.count {
      one.continuation.resume(returning: elements)
    }
    waiting.removeAll { $0.count <= elements.count }
  }

  func elements(atLeast count: Int) async -> [Element] {
    if elements.count >= count { return elements }
    return await withCheckedContinuation { waiting.append((count, $0)) }
  }

  func keep(_ subscription: StoreSubscription) { self.subscription = subscription }
}

@Suite(.timeLimit(.minutes(10))) struct ActorQueueTests {
  let store = LibraryStore()

  @Test func `an actor is told every version in order`() async {
    let collector = Collector<UInt64>()
    let subscription = store.sinkState(queue: .actor(collector)) { collector, changes in
      collector.take(changes.version)
    }
    let store = store
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in store.commit { $0.count += 1 } }
    #expect(await collector.elements(atLeast: 1_001) == Array(0...1_000))
    subscription.cancel()
  }

  @Test func `an actor is told activities in order`() async {
    let collector = Collector<LibraryActivity>()
    let subscription = store.sinkActivity(queue: .actor(collector)) { collector, activity in
      collector.take(activity)
    }
    for number in 1...100 { store.send(.rang(number)) }
    #expect(await collector.elements(atLeast: 100) == (1...100).map { .rang($0) })
    subscription.cancel()
  }

  @Test func `an actor is told the new values of a derived value`() async {
    let collector = Collector<Int>()
    let count = store.derived(.map(\.count))
    let subscriptions = [
      count.sinkValue(queue: .actor(collector)) { $0.take($1.value) },
      count.sinkChanges(first: .nextCommit, queue: .actor(collector)) { $0.take(-$1.value) },
      store.sinkChanges(first: .nextCommit, queue: .actor(collector)) { $0.take($1.count * 10) },
    ]
    store.commit { $0.count = 1 }
    #expect(Set(await collector.elements(atLeast: 4)) == [0, 1, -1, 10])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `nothing begins on an actor after a cancel`() async {
    let store = store
    for _ in 0..<20 {
      let collector = Collector<Int>()
      let cancelled = Lock(false)
      let late = Counter()
      let subscription = store.sinkState(queue: .actor(collector)) { collector, changes in
        if cancelled.withLock({ $0 }) { late.add() }
        collector.take(changes.count)
      }
      _ = await collector.elements(atLeast: 1)
      await inside(collector) { _ in
        // While the actor is busy here, the next version waits for it.
        store.commit { $0.count += 1 }
        let end = ContinuousClock.now + .milliseconds(5)
        while ContinuousClock.now < end {}
        subscription.cancel()
        cancelled.withLock { $0 = true }
      }
      let marker = store.sinkState(queue: .actor(collector)) { collector, _ in collector.take(-1) }
      while await collector.elements.last != -1 { await Task.yield() }
      #expect(late.count == 0)
      marker.cancel()
    }
  }

  private func inside<Target: Actor>(
    _ target: isolated Target,
    _ body: @Sendable (isolated Target) -> Void
  ) { body(target) }

  @Test func `a subscription whose actor is gone says so`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let store = LibraryStore()
      let subscription = store.sinkState(first: .nextCommit, queue: .actor(Collector<Int>())) {
        $0.take($1.count)
      }
      store.commit { $0.count = 1 }
      let end = ContinuousClock.now + .seconds(2)
      while ContinuousClock.now < end { await Task.yield() }
      subscription.cancel()
    }
    #expect(result?.standardErrorContent.text.contains("because the actor was released") == true)
  }

  @Test func `an actor may keep its subscription`() async {
    var collector: Collector<Int>? = Collector()
    weak let weakCollector = collector
    if let collector {
      let subscription = store.sinkState(queue: .actor(collector)) { $0.take($1.count) }
      await collector.keep(subscription)
      _ = await collector.elements(atLeast: 1)
    }
    collector = nil
    // The task that delivers may be about to leave the actor.
    while weakCollector != nil { await Task.yield() }
    store.commit { $0.count = 1 }
  }
}

@Suite struct ScanTests {
  let store = LibraryStore()

  @Test func `a counter counts the deliveries`() {
    let received = Recorder<[Int]>()
    let subscription = store.sinkState(scan: .counter()) { received.record([$0.count, $1]) }
    store.commit { $0.count = 10 }
    store.commit { $0.count = 20 }
    #expect(received.elements == [[0, 1], [10, 2], [20, 3]])
    subscription.cancel()
  }

  @Test func `a scan accumulates what it is told`() {
    let received = Recorder<Int>()
    let sum = Scan<Changes<LibraryState>, Int>(seed: 100) { $0 += $1.count }
    let subscription = store.sinkState(scan: sum, first: .nextCommit) { received.record($1) }
    store.commit { $0.count = 1 }
    store.commit { $0.count = 2 }
    #expect(received.elements == [101, 103])
    subscription.cancel()
  }

  @Test func `activities and derived values are accumulated too`() {
    let (rings, sums) = (Recorder<Int>(), Recorder<Int>())
    let sum = Scan<Changes<Int>, Int>(seed: 0) { $0 += $1.value }
    let subscriptions = [
      store.sinkActivity(scan: .counter()) { rings.record($1) },
      store.derived(.map(\.count)).sinkValue(scan: sum) { sums.record($1) },
    ]
    for count in 1...3 {
      store.send(.opened)
      store.commit { $0.count = count }
    }
    #expect(rings.elements == [1, 2, 3])
    #expect(sums.elements == [0, 1, 3, 6])
    subscriptions.forEach { $0.cancel() }
  }

  @Test @MainActor func `a scan accumulates on the main actor`() {
    let received = Recorder<Int>()
    let subscriptions = [
      store.sinkState(scan: .counter(), queue: .mainImmediate) { received.record($1) },
      store.derived(.map(\.count)).sinkValue(scan: .counter(), queue: .mainImmediate) {
        received.record($1 * 10)
      },
      store.sinkActivity(scan: .counter(), queue: .mainImmediate) { received.record($1 * 100) },
    ]
    store.commit { $0.count = 1 }
    store.send(.opened)
    store.send(.opened)
    #expect(received.elements == [1, 10, 2, 20, 100, 200])
    subscriptions.forEach { $0.cancel() }
  }

  @Test(.timeLimit(.minutes(10))) func `a scan accumulates on an actor`() async {
    let collector = Collector<Int>()
    let subscriptions = [
      store.sinkState(scan: .counter(), queue: .actor(collector)) { $0.take($2) },
      store.derived(.map(\.count)).sinkValue(scan: .counter(), queue: .actor(collector)) {
        $0.take($2 * 10)
      },
      store.sinkActivity(scan: .counter(), queue: .actor(collector)) { $0.take($2 * 100) },
    ]
    store.commit { $0.count = 1 }
    store.send(.opened)
    store.send(.opened)
    #expect(Set(await collector.elements(atLeast: 6)) == [1, 10, 2, 20, 100, 200])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `each subscription accumulates on its own`() {
    let received = Recorder<Int>()
    let scan = Scan<Changes<LibraryState>, Int>.counter()
    let subscriptions = (0..<2).map { _ in store.sinkState(scan: scan) { received.record($1) } }
    store.commit { $0.count = 1 }
    #expect(received.elements == [1, 1, 2, 2])
    subscriptions.forEach { $0.cancel() }
  }
}
