import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct MainDeliveryTests {
  /// What belongs to the main actor, as a view does.
  @MainActor final class Screen {
    var counts: [Int] = []
    var subscription: StoreSubscription?
  }

  let store = LibraryStore()
  let screen = Screen()

  /// Returns when the main queue has run what is on it now.
  func mainQueueTurn() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }

  @Test func `a subscriber on the main actor receives the current value before the call returns`() {
    store.commit { $0.count = 4 }
    let subscription = store.sinkState(queue: .mainImmediate) { [screen] in
      screen.counts.append($0.count)
    }
    #expect(screen.counts == [4])
    subscription.cancel()
  }

  @Test(arguments: [MainTargetQueue.mainImmediate, .mainIsolated()])
  func `a commit on the main actor is delivered there before it returns`(queue: MainTargetQueue) {
    let subscription = store.sinkState(queue: queue) { [screen] in
      screen.counts.append($0.count)
    }
    store.commit { $0.count = 1 }
    #expect(screen.counts == [0, 1])
    subscription.cancel()
  }

  @Test func `a commit from another thread is delivered on the main queue`() async {
    let subscription = store.sinkState(queue: .mainImmediate) { [screen] in
      screen.counts.append($0.count)
    }
    let store = store
    #expect(inBackground { store.commit { $0.count = 1 } }.holdThread())
    #expect(screen.counts == [0])
    await mainQueueTurn()
    #expect(screen.counts == [0, 1])
    subscription.cancel()
  }

  @Test func `a commit on the main actor waits behind an older delivery`() async {
    let subscription = store.sinkState(queue: .mainImmediate) { [screen] in
      screen.counts.append($0.count)
    }
    let store = store
    #expect(inBackground { store.commit { $0.count = 1 } }.holdThread())
    store.commit { $0.count = 2 }
    #expect(screen.counts == [0])
    await mainQueueTurn()
    #expect(screen.counts == [0, 1, 2])
    store.commit { $0.count = 3 }
    #expect(screen.counts == [0, 1, 2, 3])
    subscription.cancel()
  }

  @Test func `a subscription from another thread starts on the main queue`() async {
    let (store, screen) = (store, screen)
    let begun = Lock<StoreSubscription?>(nil)
    let beginning = inBackground {
      let subscription = store.sinkState(queue: .mainImmediate) { screen.counts.append($0.count) }
      begun.withLock { $0 = subscription }
    }
    #expect(beginning.holdThread())
    #expect(screen.counts == [])
    await mainQueueTurn()
    #expect(screen.counts == [0])
    begun.withLock { $0 }?.cancel()
  }

  @Test func `the first value comes at once also while another thread delivers`() async {
    let (store, screen) = (store, screen)
    let (reached, release) = (Latch(), Latch())
    let slow = store.sinkState(first: .nextCommit) { changes in
      guard changes.count == 1 else { return }
      reached.open()
      _ = release.wait()
    }
    let committing = inBackground { store.commit { $0.count = 1 } }
    #expect(reached.holdThread())
    let visits = store.derived(.map(\.count))
    let derived = Screen()
    let subscriptions = [
      store.sinkState(queue: .mainImmediate) { screen.counts.append($0.count) },
      visits.sinkValue(queue: .mainImmediate) { derived.counts.append($0.value) },
      visits.chain(.map { $0 * 10 }).sinkValue(queue: .mainImmediate) {
        derived.counts.append($0.value)
      },
    ]
    #expect(screen.counts == [1])
    #expect(derived.counts == [1, 10])
    store.commit { $0.count = 2 }
    // It waits behind the delivery of the other thread.
    #expect(screen.counts == [1])
    release.open()
    #expect(committing.holdThread())
    #expect(store.waitForDeliveries())
    await mainQueueTurn()
    #expect(screen.counts == [1, 2])
    #expect(derived.counts == [1, 10, 2, 20])
    subscriptions.forEach { $0.cancel() }
    slow.cancel()
  }

  @Test func `a subscription inside a delivery has its first value at once`() {
    let (store, screen) = (store, screen)
    let outer = store.sinkState(first: .nextCommit, queue: .mainImmediate) { changes in
      screen.subscription = store.sinkState(queue: .mainImmediate) {
        screen.counts.append($0.count)
      }
      screen.counts.append(-changes.count)
    }
    store.commit { $0.count = 1 }
    #expect(screen.counts == [1, -1])
    outer.cancel()
    screen.subscription?.cancel()
  }

  @Test func `a commit inside the first delivery is delivered after it`() async {
    let (store, screen) = (store, screen)
    let subscription = store.sinkState(queue: .mainImmediate) { changes in
      if changes.count == 0 { store.commit { $0.count = 1 } }
      screen.counts.append(changes.count)
    }
    #expect(screen.counts == [0])
    await mainQueueTurn()
    #expect(screen.counts == [0, 1])
    subscription.cancel()
  }

  @Test func `a cancelled subscriber receives nothing that waits on the main queue`() async {
    let subscription = store.sinkState(queue: .mainImmediate) { [screen] in
      screen.counts.append($0.count)
    }
    let store = store
    #expect(inBackground { store.commit { $0.count = 1 } }.holdThread())
    subscription.cancel()
    await mainQueueTurn()
    #expect(screen.counts == [0])
  }

  @Test func `an activity on the main actor is delivered there before send returns`() {
    let activities = Lock<[LibraryActivity]>([])
    let subscription = store.sinkActivity(queue: .mainImmediate) { activity in
      MainActor.assertIsolated()
      activities.withLock { $0.append(activity) }
    }
    store.send(.rang(1))
    #expect(activities.withLock { $0 } == [.rang(1)])
    subscription.cancel()
  }

  @Test func `a derived value of a store that has ended delivers its value at once`() {
    var store: LibraryStore? = LibraryStore()
    let count = store?.derived(.map(\.count))
    store?.commit { $0.count = 3 }
    store = nil
    let subscription = count?.sinkValue(queue: .mainImmediate) { [screen] in
      screen.counts.append($0.value)
    }
    #expect(screen.counts == [3])
    subscription?.cancel()
  }

  @Test func `every version is delivered once and in order, whichever thread commits`() async {
    let rounds = loopCount("STRATA_SEQUENCES", 100)
    for _ in 0..<rounds {
      let store = LibraryStore()
      let (whole, part) = (Screen(), Screen())
      let committing = inBackground { for _ in 0..<50 { store.commit { $0.count += 1 } } }
      for _ in 0..<10 { store.commit { $0.count += 1 } }
      let derived = store.derived(.map(\.count))
      let subscriptions = [
        store.sinkState(queue: .mainImmediate) { whole.counts.append($0.count) },
        derived.sinkValue(queue: .mainImmediate) { part.counts.append($0.value) },
      ]
      #expect(whole.counts.count >= 1)
      #expect(part.counts.count >= 1)
      for _ in 0..<10 { store.commit { $0.count += 1 } }
      #expect(committing.holdThread())
      #expect(store.waitForDeliveries())
      await mainQueueTurn()
      for counts in [whole.counts, part.counts] {
        #expect(counts == Array((counts.first ?? 0)...70))
      }
      subscriptions.forEach { $0.cancel() }
    }
  }
}
