import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct SinkTests {
  let store = LibraryStore()
  let counts = Recorder<Int>()

  @Test func `a new subscriber is told the current value before the call returns`() {
    store.commit { $0.count = 4 }
    let subscription = store.sinkState { [counts] in counts.record($0.count) }
    #expect(counts.elements == [4])
    subscription.cancel()
  }

  @Test func `the first delivery has no previous value`() {
    store.commit { $0.count = 4 }
    let previous = Recorder<LibraryState?>()
    let subscription = store.sinkState { previous.record($0.previous) }
    #expect(previous.elements == [nil])
    subscription.cancel()
  }

  @Test func `the second delivery has the first as its previous value`() {
    let previous = Recorder<Int?>()
    let subscription = store.sinkState { previous.record($0.previous?.count) }
    store.commit { $0.count = 4 }
    #expect(previous.elements == [nil, 0])
    subscription.cancel()
  }

  @Test func `a subscriber that asks for the next commit is told nothing at once`() {
    let subscription = store.sinkState(first: .nextCommit) { [counts] in counts.record($0.count) }
    #expect(counts.elements == [])
    subscription.cancel()
  }

  @Test func `a subscriber that asks for the next commit is told from there on`() {
    let subscription = store.sinkState(first: .nextCommit) { [counts] in counts.record($0.count) }
    store.commit { $0.count = 1 }
    store.commit { $0.count = 2 }
    #expect(counts.elements == [1, 2])
    subscription.cancel()
  }

  @Test func `a commit is delivered before it returns`() {
    let subscription = store.sinkState(first: .nextCommit) { [counts] in counts.record($0.count) }
    store.commit { $0.count = 1 }
    #expect(counts.elements == [1])
    subscription.cancel()
  }

  @Test func `sinkChanges is told the same as sinkState`() {
    let subscription = store.sinkChanges { [counts] in counts.record($0.count) }
    store.commit { $0.count = 1 }
    #expect(counts.elements == [0, 1])
    subscription.cancel()
  }

  @Test func `subscribers are called in the order of their subscription`() {
    let names = Recorder<String>()
    let subscriptions = ["a", "b", "c", "d"].map { name in
      store.sinkState(first: .nextCommit) { _ in names.record(name) }
    }
    store.commit { $0.count = 1 }
    #expect(names.elements == ["a", "b", "c", "d"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `an activity reaches its subscriber`() {
    let activities = Recorder<LibraryActivity>()
    let subscription = store.sinkActivity { activities.record($0) }
    store.send(.rang(3))
    #expect(activities.elements == [.rang(3)])
    subscription.cancel()
  }

  @Test func `a dispatcher sends activities to the subscribers of its store`() {
    let activities = Recorder<LibraryActivity>()
    let subscription = store.sinkActivity { activities.record($0) }
    store.detached(from: \.loggedIn).send(.opened)
    #expect(activities.elements == [.opened])
    subscription.cancel()
  }

  @Test func `a later subscriber is told no earlier activity`() {
    let activities = Recorder<LibraryActivity>()
    store.send(.opened)
    let subscription = store.sinkActivity { activities.record($0) }
    #expect(activities.elements == [])
    subscription.cancel()
  }

  @Test func `the hundred-thousandth delivery costs no more stack than the first`() {
    let received = Lock(0)
    let store = store
    let sending = inBackground {
      let subscription = store.sinkActivity { _ in received.withLock { $0 += 1 } }
      for _ in 0..<100_000 { store.send(.opened) }
      subscription.cancel()
    }
    #expect(sending.wait())
    #expect(received.withLock { $0 } == 100_000)
  }

  @Test func `a dispatch queue gets the versions in order`() {
    let queue = DispatchQueue(label: "sink")
    let subscription = store.sinkState(queue: .dispatch(queue)) { [counts] changes in
      counts.record(changes.count)
    }
    for count in 1...100 { store.commit { $0.count = count } }
    queue.sync {}
    #expect(counts.elements == Array(0...100))
    subscription.cancel()
  }

  @Test func `the closure of a dispatch queue runs on it`() {
    let queue = DispatchQueue(label: "sink")
    let subscription = store.sinkActivity(queue: .dispatch(queue)) { [counts] _ in
      dispatchPrecondition(condition: .onQueue(queue))
      counts.record(1)
    }
    store.send(.opened)
    queue.sync {}
    #expect(counts.elements == [1])
    subscription.cancel()
  }

  @Test(.timeLimit(.minutes(10)))
  func `the main queue takes a closure of the main actor`() async {
    @MainActor final class Screen {
      var counts: [Int] = []
      nonisolated init() {}
    }
    let screen = Screen()
    let store = store
    var subscription: StoreSubscription?
    await withCheckedContinuation { done in
      subscription = store.sinkState(queue: .main) { changes in
        screen.counts.append(changes.count)
        if changes.count == 2 { done.resume() }
      }
      store.commit { $0.count = 1 }
      store.commit { $0.count = 2 }
    }
    #expect(await screen.counts == [0, 1, 2])
    subscription?.cancel()
  }

  @Test(.timeLimit(.minutes(10)))
  func `the main queue takes activities on the main actor`() async {
    let store = store
    var subscription: StoreSubscription?
    let activity = await withCheckedContinuation { done in
      subscription = store.sinkActivity(queue: .main) { activity in
        MainActor.assertIsolated()
        done.resume(returning: activity)
      }
      store.send(.rang(1))
    }
    #expect(activity == .rang(1))
    subscription?.cancel()
  }
}
