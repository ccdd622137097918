import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct LockingTests {
  let store = LibraryStore()

  @Test func `reading state does not wait for an edit`() {
    let store = store
    let started = Latch()
    let finish = Latch()
    let editing = inBackground {
      store.commit { state in
        state.count = 1
        started.open()
        #expect(finish.wait())
      }
    }
    #expect(started.wait())
    let seen = Recorder<Int>()
    #expect(inBackground { seen.record(store.state.count) }.wait())
    #expect(seen.elements == [0])
    finish.open()
    #expect(editing.wait())
  }

  @Test func `derived and computed values do not wait for an edit that is under way`() {
    let store = ComputedStore()
    let large = store.derived(.mapChanges { $0.computed.filteredArray })
    store.commit { $0.items = [400] }
    let started = Latch()
    let finish = Latch()
    let editing = inBackground {
      store.commit { state in
        state.items = []
        started.open()
        #expect(finish.wait())
      }
    }
    #expect(started.wait())
    let seen = Recorder<[Int]>()
    for _ in 0..<100 { seen.record(large.value + store.changes.computed.filteredArray) }
    finish.open()
    #expect(Set(seen.elements) == [[400, 400]])
    #expect(editing.wait())
    #expect(large.value == [])
  }

  @Test func `subscribing does not wait for an edit`() {
    let store = store
    let started = Latch()
    let finish = Latch()
    let editing = inBackground {
      store.commit { state in
        state.count = 1
        started.open()
        #expect(finish.wait())
      }
    }
    #expect(started.wait())
    let seen = Recorder<Int>()
    let kept = Lock<StoreSubscription?>(nil)
    let subscribing = inBackground {
      let subscription = store.sinkState { seen.record($0.count) }
      kept.withLock { $0 = subscription }
    }
    #expect(subscribing.wait())
    finish.open()
    #expect(editing.wait())
    #expect(seen.elements == [0, 1])
    kept.withLock { $0 }?.cancel()
  }

  @Test func `a second commit waits for the first`() {
    let store = store
    let started = Latch()
    let finish = Latch()
    let editing = inBackground {
      store.commit { state in
        started.open()
        #expect(finish.wait())
        state.count = 1
      }
    }
    #expect(started.wait())
    let second = inBackground { store.commit { $0.count += 10 } }
    finish.open()
    #expect(editing.wait())
    #expect(second.wait())
    #expect(store.state.count == 11)
  }

  @Test func `a sink that waits for a commit on another thread does not deadlock`() {
    let store = store
    let waited = Recorder<Bool>()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      guard changes.count == 1 else { return }
      waited.record(inBackground { store.commit { $0.count = 2 } }.wait())
    }
    store.commit { $0.count = 1 }
    #expect(waited.elements == [true])
    #expect(store.state.count == 2)
    subscription.cancel()
  }

  @Test func `a commit that meets another thread's delivery is delivered after it`() {
    let store = store
    let counts = Recorder<Int>()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      counts.record(changes.count)
      if changes.count == 1 { #expect(inBackground { store.commit { $0.count = 2 } }.wait()) }
    }
    store.commit { $0.count = 1 }
    #expect(store.waitForDeliveries())
    #expect(counts.elements == [1, 2])
    subscription.cancel()
  }

  @Test func `what a commit frees may commit in its turn`() {
    final class Marker: Sendable {
      let store: Lock<ReplacedStore?>
      init(_ store: ReplacedStore?) { self.store = Lock(store) }
      deinit { store.withLock { $0 }?.commit { $0.freed += 1 } }
    }
    struct ReplacedState: StateType {
      var marker: Marker?
      var freed = 0
      var count = 0
    }
    final class ReplacedStore: Store<ReplacedState, Never>, @unchecked Sendable {}

    let store = ReplacedStore(initialState: ReplacedState())
    store.commit { $0.marker = Marker(store) }
    store.commit { $0.marker = nil }
    store.commit { $0.count = 1 }
    #expect(store.state.freed == 1)
  }
}
