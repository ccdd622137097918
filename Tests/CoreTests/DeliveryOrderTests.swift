import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct DeliveryOrderTests {
  let store = LibraryStore()
  let versions = Recorder<UInt64>()

  @Test func `a commit inside a sink runs at once`() {
    let seen = Recorder<Int>()
    let store = store
    let subscription = store.sinkState { changes in
      if changes.count == 0 {
        seen.record(
          store.commit { state in
            state.count = 1
            return state.count
          }
        )
      }
    }
    #expect(seen.elements == [1])
    subscription.cancel()
  }

  @Test func `a commit inside a sink is delivered after the present version has reached everyone`()
  {
    let received = Recorder<String>()
    let store = store
    let first = store.sinkState(first: .nextCommit) { changes in
      received.record("first \(changes.count)")
      if changes.count == 1 { store.commit { $0.count = 2 } }
    }
    let second = store.sinkState(first: .nextCommit) { received.record("second \($0.count)") }
    store.commit { $0.count = 1 }
    #expect(received.elements == ["first 1", "second 1", "first 2", "second 2"])
    first.cancel()
    second.cancel()
  }

  @Test func `a chain of commits inside sinks is delivered to its end`() {
    let store = store
    let subscription = store.sinkState { [versions] changes in
      versions.record(changes.version)
      if changes.count < 1_000 { store.commit { $0.count += 1 } }
    }
    #expect(versions.elements == Array(0...1_000))
    subscription.cancel()
  }

  @Test func `a subscription inside a sink starts at the current version`() {
    let store = store
    let inner = Lock<StoreSubscription?>(nil)
    let outer = store.sinkState(first: .nextCommit) { [versions] changes in
      guard changes.version == 1 else { return }
      store.commit { $0.count = 2 }
      let subscription = store.sinkState { versions.record($0.version) }
      inner.withLock { $0 = subscription }
    }
    store.commit { $0.count = 1 }
    #expect(versions.elements == [2])
    outer.cancel()
    inner.withLock { $0 }?.cancel()
  }

  @Test func `activities keep their place between commits`() {
    let received = Recorder<String>()
    let store = store
    let subscriptions = [
      store.sinkState(first: .nextCommit) { changes in
        received.record("count \(changes.count)")
        guard changes.count == 1 else { return }
        store.send(.rang(1))
        store.commit { $0.count = 2 }
        store.send(.rang(2))
      },
      store.sinkActivity { received.record("\($0)") },
    ]
    store.commit { $0.count = 1 }
    #expect(received.elements == ["count 1", "rang(1)", "count 2", "rang(2)"])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a hundred concurrent commits reach every sink once and in order`() {
    for _ in 0..<200 {
      let store = LibraryStore()
      let recorders = (0..<5).map { _ in Recorder<UInt64>() }
      let subscriptions = recorders.map { recorder in
        store.sinkState(first: .nextCommit) { recorder.record($0.version) }
      }
      DispatchQueue.concurrentPerform(iterations: 100) { _ in store.commit { $0.count += 1 } }
      #expect(store.waitForDeliveries())
      #expect(recorders.map(\.elements) == recorders.map { _ in Array(1...100) })
      subscriptions.forEach { $0.cancel() }
    }
  }

  @Test func `no concurrent commit is lost`() {
    let store = store
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in store.commit { $0.count += 1 } }
    #expect(store.state.count == 1_000)
  }

  @Test func `every version follows the one before it in the state too`() {
    let broken = Recorder<UInt64>()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      if changes.previous?.count != changes.count - 1 { broken.record(changes.version) }
    }
    let store = store
    DispatchQueue.concurrentPerform(iterations: 1_000) { _ in store.commit { $0.count += 1 } }
    #expect(store.waitForDeliveries())
    #expect(broken.elements == [])
    subscription.cancel()
  }

  @Test func `a hundred sinks beside one that commits again see no version twice`() {
    let store = store
    let recorders = (0..<100).map { _ in Recorder<UInt64>() }
    var subscriptions = recorders.map { recorder in
      store.sinkState(first: .nextCommit) { recorder.record($0.version) }
    }
    subscriptions.append(
      store.sinkState(first: .nextCommit) { changes in
        if changes.loggedIn.visits < 50 { store.commit { $0.loggedIn.visits += 1 } }
      }
    )
    DispatchQueue.concurrentPerform(iterations: 50) { _ in store.commit { $0.count += 1 } }
    #expect(store.waitForDeliveries())
    let last = store.changes.version
    #expect(recorders.map(\.elements) == recorders.map { _ in Array(1...last) })
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `sinks that come and go during commits see a run without gaps`() {
    let store = store
    let gaps = Recorder<[UInt64]>()
    let committing = inBackground {
      DispatchQueue.concurrentPerform(iterations: 2_000) { _ in store.commit { $0.count += 1 } }
    }
    for _ in 0..<300 {
      let seen = Recorder<UInt64>()
      let subscription = store.sinkState { seen.record($0.version) }
      store.commit { $0.count += 1 }
      subscription.cancel()
      let run = seen.elements
      if let first = run.first, run != Array(first..<first + UInt64(run.count)) { gaps.record(run) }
    }
    #expect(committing.wait())
    #expect(gaps.elements == [])
  }
}
