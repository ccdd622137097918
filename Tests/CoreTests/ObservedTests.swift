import Dispatch
import Observation
import StrataBase
import StrataCore
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10))) struct ObservedTests {
  let store = LibraryStore()

  /// Reads a value, and counts how often an observer is notified that it changes; each observes once.
  private func observing<Value>(_ read: () -> Value) -> (value: Value, changes: Lock<Int>) {
    let changes = Lock(0)
    let value = withObservationTracking(read) { changes.withLock { $0 += 1 } }
    return (value, changes)
  }

  private var derivedSubscribers: [Int] {
    store.subscribers.groups.filter { $0.kind == .derived }.map(\.subscribers)
  }

  /// Returns when the main queue has run what is on it now.
  private func mainQueueTurn() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }

  @Test func `an observer of a value is notified when a commit changes it`() {
    store.commit { $0.count = 1 }
    let count = store.observed(.map(\.count))
    let observed = observing { count.value }
    #expect(observed.value == 1)
    store.commit { $0.count = 2 }
    #expect(observed.changes.withLock { $0 } == 1)
    #expect(count.value == 2)
  }

  @Test func `an observer is notified before the value changes, and once`() {
    let count = store.observed(.map(\.count))
    let seen = Recorder<Int>()
    withObservationTracking {
      _ = count.value
    } onChange: {
      MainActor.assumeIsolated { seen.record(count.value) }
    }
    store.commit { $0.count = 1 }
    store.commit { $0.count = 2 }
    #expect(seen.elements == [0])
  }

  @Test func `a commit that leaves the value equal notifies nobody`() {
    let count = store.observed(.map(\.count))
    let isEven = store.derived(.map { $0.count.isMultiple(of: 2) }).observed()
    let (whole, parity) = (observing { count.value }, observing { isEven.value })
    store.commit { $0.loggedIn.visits += 1 }
    store.commit { $0.count = 0 }
    #expect(whole.changes.withLock { $0 } == 0)
    store.commit { $0.count = 2 }
    #expect(whole.changes.withLock { $0 } == 1)
    #expect(parity.changes.withLock { $0 } == 0)
    store.commit { $0.count = 3 }
    #expect(parity.changes.withLock { $0 } == 1)
    #expect(!isEven.value)
  }

  @Test func `a value is that of its scope, of a chain, and of a binding`() {
    let scoped = store.detached(from: \.loggedIn).observed(.map(\.visits))
    let text = store.derived(.map(\.count)).chain(.map { "\($0)" }).observed()
    let binding = store.bindingDerived(\.loggedOut.attempts)
    let attempts = binding.observed()
    store.commit { state in
      state.loggedIn.visits = 2
      state.count = 3
    }
    binding.value = 4
    #expect(scoped.value == 2)
    #expect(text.value == "3")
    #expect(attempts.value == 4)
  }

  @Test func `a commit from another thread arrives on the main queue, with its notification`() async
  {
    let count = store.observed(.map(\.count))
    let observed = observing { count.value }
    let store = store
    #expect(inBackground { store.commit { $0.count = 1 } }.holdThread())
    // What a view shows does not change without a notification.
    #expect(count.value == 0)
    #expect(observed.changes.withLock { $0 } == 0)
    await mainQueueTurn()
    #expect(observed.changes.withLock { $0 } == 1)
    #expect(count.value == 1)
  }

  @Test func `a commit while a value begins to be observed is not lost`() async {
    let store = store
    for round in 1...loopCount("STRATA_SEQUENCES", 100) {
      let committing = inBackground { store.commit { $0.count = round } }
      let count = store.observed(.map(\.count))
      #expect(committing.holdThread())
      #expect(store.waitForDeliveries())
      await mainQueueTurn()
      #expect(count.value == round)
    }
  }

  @Test func `the subscription ends with the object`() {
    let count = store.derived(.map(\.count))
    var observed: Observed<Int>? = count.observed()
    weak let weakObserved = observed
    let delivered = observing { observed?.value }
    #expect(derivedSubscribers == [1])
    observed = nil
    #expect(weakObserved == nil)
    #expect(derivedSubscribers == [])
    store.commit { $0.count = 1 }
    #expect(delivered.changes.withLock { $0 } == 0)
  }

  @Test func `it does not hold its store`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    store?.commit { $0.count = 1 }
    let count = store?.observed(.map(\.count))
    store = nil
    #expect(weakStore == nil)
    #expect(count?.value == 1)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test func `Observations gives the current value and those that commits make`() async {
    let store = store
    let count = store.observed(.map(\.count))
    let values = Observations { count.value }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    store.commit { $0.count = 1 }
    #expect(await iterator.next() == 1)
    store.commit { $0.loggedIn.visits = 1 }
    let committing = inBackground { store.commit { $0.count = 2 } }
    #expect(await iterator.next() == 2)
    #expect(committing.holdThread())
  }
}
