import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct CancelTests {
  let store = LibraryStore()
  let counts = Recorder<Int>()

  @Test func `a cancelled subscriber is told nothing more`() {
    let subscription = store.sinkState { [counts] in counts.record($0.count) }
    subscription.cancel()
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0])
  }

  @Test func `a subscriber of activities can cancel too`() {
    let subscription = store.sinkActivity { [counts] _ in counts.record(1) }
    subscription.cancel()
    store.send(.opened)
    #expect(counts.elements == [])
  }

  @Test func `a subscription may be cancelled twice`() {
    let subscription = store.sinkState { _ in }
    subscription.cancel()
    subscription.cancel()
  }

  @Test func `cancelling one subscriber leaves the others`() {
    let all = (0..<5).map { number in
      store.sinkState(first: .nextCommit) { [counts] _ in counts.record(number) }
    }
    all[1].cancel()
    all[3].cancel()
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0, 2, 4])
    all.forEach { $0.cancel() }
  }

  @Test func `a subscriber can cancel inside its own sink`() {
    let own = Lock<StoreSubscription?>(nil)
    let subscription = store.sinkState(first: .nextCommit) { [counts] changes in
      counts.record(changes.count)
      own.withLock { $0 }?.cancel()
    }
    own.withLock { $0 = subscription }
    store.commit { $0.count = 1 }
    store.commit { $0.count = 2 }
    #expect(counts.elements == [1])
  }

  @Test func `a subscriber cancelled by an earlier sink of the same version is not told it`() {
    let later = Lock<StoreSubscription?>(nil)
    let first = store.sinkState(first: .nextCommit) { _ in later.withLock { $0 }?.cancel() }
    let second = store.sinkState(first: .nextCommit) { [counts] in counts.record($0.count) }
    later.withLock { $0 = second }
    store.commit { $0.count = 1 }
    #expect(counts.elements == [])
    first.cancel()
  }

  @Test func `a subscription ends when its object goes`() {
    var kept = [store.sinkState { [counts] in counts.record($0.count) }]
    kept.removeAll()
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0])
  }

  @Test func `a set keeps a subscription alive`() {
    var subscriptions: Set<StoreSubscription> = []
    store.sinkState { [counts] in counts.record($0.count) }.store(in: &subscriptions)
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0, 1])
  }

  @Test func `emptying the set ends its subscriptions`() {
    var subscriptions: Set<StoreSubscription> = []
    store.sinkState { [counts] in counts.record($0.count) }.store(in: &subscriptions)
    store.sinkChanges { [counts] in counts.record($0.count) }.store(in: &subscriptions)
    subscriptions.removeAll()
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0, 0])
  }

  @Test func `what waits on a queue is not delivered after the cancel`() {
    let queue = DispatchQueue(label: "sink")
    let blocked = Latch()
    queue.async { #expect(blocked.wait()) }
    let subscription = store.sinkState(queue: .dispatch(queue)) { [counts] changes in
      counts.record(changes.count)
    }
    store.commit { $0.count = 1 }
    subscription.cancel()
    blocked.open()
    queue.sync {}
    #expect(counts.elements == [])
  }

  @Test func `what a cancelled sink held may cancel in its turn`() {
    final class Owner: Sendable {
      let subscription: StoreSubscription
      init(_ subscription: StoreSubscription) { self.subscription = subscription }
      deinit { subscription.cancel() }
    }
    let inner = store.sinkState(first: .nextCommit) { [counts] in counts.record($0.count) }
    let outer = store.sinkState { [owner = Owner(inner)] _ in _ = owner }
    outer.cancel()
    store.commit { $0.count = 1 }
    #expect(counts.elements == [])
  }

  @Test func `what a cancelled sink held may read and change the store`() {
    final class Owner: Sendable {
      let store: LibraryStore
      init(_ store: LibraryStore) { self.store = store }
      deinit { store.commit { $0.count = store.state.count + 1 } }
    }
    let subscription = store.sinkState { [owner = Owner(store)] _ in _ = owner }
    subscription.cancel()
    #expect(store.state.count == 1)
  }

  @Test func `cancelling in any order keeps the others in order`() {
    var generator = SeededGenerator(seed: 11)
    var all = (0..<200).map { number in
      (number, store.sinkState(first: .nextCommit) { [counts] _ in counts.record(number) })
    }
    for _ in 0..<150 {
      all.remove(at: Int.random(in: all.indices, using: &generator)).1.cancel()
    }
    store.commit { $0.count = 1 }
    #expect(counts.elements == all.map(\.0), "\(generator)")
    for (_, subscription) in all { subscription.cancel() }
  }
}
