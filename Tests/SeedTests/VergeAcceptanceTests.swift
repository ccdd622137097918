import Dispatch
import Strata
import TestSupport
import Testing

/// What the tests of Verge's store ask for, by the names they have there.
@Suite struct VergeStoreAcceptanceTests {
  struct Refusal: Error, Equatable {}

  let store = LibraryStore()

  @Test func `testCommit: commits by key path, nested and from another thread are visible at once`()
  {
    let store = store
    store.commit { $0.count = 1 }
    #expect(store.state.count == 1)
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
    #expect(inBackground { store.commit { $0.count = 3 } }.wait())
    #expect(store.state.count == 3)
  }

  @Test func `testEmptyCommit: a commit without writes makes no version and no delivery`() {
    let versions = Recorder<UInt64>()
    let subscription = store.sinkState { versions.record($0.version) }
    store.commit { $0.count = 1 }
    store.commit { _ in }
    #expect(store.changes.version == 1)
    store.commit { $0.count = 2 }
    #expect(versions.elements == [0, 1, 2])
    subscription.cancel()
  }

  @Test func `testDispatch: the methods of a dispatcher compose`() {
    final class Counter: LibraryStore.Dispatcher, @unchecked Sendable {
      func resetCount() { commit { $0.count = 0 } }
      func increment() { commit { $0.count += 1 } }
      func restart() {
        resetCount()
        increment()
        increment()
      }
    }
    store.commit { $0.count = 9 }
    Counter(targetStore: store).restart()
    #expect(store.state.count == 2)
  }

  @Test func `testTryMutation: a commit that throws changes nothing and reaches nobody`() {
    let counts = Recorder<Int>()
    let subscription = store.sinkState(first: .nextCommit) { counts.record($0.count) }
    #expect(throws: Refusal()) {
      try store.commit { state in
        state.count = 1
        throw Refusal()
      }
    }
    #expect(store.state.count == 0)
    #expect(store.changes.version == 0)
    #expect(counts.elements == [])
    subscription.cancel()
  }

  @Test func `testMutatingOptionalNestedState: an optional part is edited when it is there`() {
    store.commit(scope: \.search) { $0?.text = "Eden" }
    #expect(store.state.search == nil)
    store.commit { $0.search = LibraryState.Search(text: "Solaris") }
    store.commit(scope: \.search) { $0?.text = "Eden" }
    #expect(store.state.search?.text == "Eden")
  }

  @Test func `testMutatingNestedState: a nested part is edited alone`() {
    store.commit(scope: \.loggedIn.myInfo) { $0.name = "Ada" }
    var expected = LibraryState()
    expected.loggedIn.myInfo.name = "Ada"
    #expect(store.state == expected)
  }

  @Test func `testTargetingCommit: a dispatcher writes through an optional part`() {
    let search = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.search)
    search.commit { $0 = LibraryState.Search(text: "Solaris") }
    search.commit { $0?.text += "!" }
    search.commit(scope: \.self) { $0?.text += "?" }
    #expect(search.state?.text == "Solaris!?")
  }

  @Test func `testReturnAnyValueFromMutation: a commit returns what its closure returns`() {
    #expect(store.commit { _ in "result" } == "result")
  }

  @Test func `testSubscription: emptying the set stops the deliveries`() {
    let deliveries = Counter()
    var subscriptions: Set<StoreSubscription> = []
    store.sinkState { _ in deliveries.add() }.store(in: &subscriptions)
    store.commit { $0.count = 1 }
    subscriptions = []
    store.commit { $0.count = 2 }
    #expect(deliveries.count == 2)
  }

  @Test func `testChangesPublisher: the first state has changes, a write of the same has none`() {
    let changed = Recorder<Bool>()
    let subscription = store.sinkState { changed.record($0.hasChanges(\.count)) }
    store.commit {
      $0.count = 0
      $0.loggedIn.visits += 1
    }
    store.commit { $0.count = 1 }
    #expect(changed.elements == [true, false, true])
    subscription.cancel()
  }

  @Test func `testAsignee: a store, a derived value and a change are assigned`() {
    struct Mirror: StateType { var count: Changes<Int>? }
    let other = LibraryStore()
    let mirror = Store<Mirror, Never>(initialState: Mirror())
    let subscriptions = [
      store.detached(from: \.loggedIn.visits).assign(to: other.assignee(\.loggedIn.visits)),
      store.derived(.map(\.count)).assign(to: other.assignee(\.count)),
      store.derived(.map(\.count)).assign { changes in
        mirror.commit { $0.count = changes }
      },
    ]
    store.commit {
      $0.loggedIn.visits = 3
      $0.count = 4
    }
    #expect([other.state.loggedIn.visits, other.state.count] == [3, 4])
    #expect([mirror.state.count?.previous, mirror.state.count?.value] == [0, 4])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `testScan: a scan accumulates over the deliveries`() {
    let counts = Recorder<Int>()
    let subscription = store.sinkState(scan: .counter()) { counts.record($1) }
    for count in 1...3 { store.commit { $0.count = count } }
    #expect(counts.elements == [1, 2, 3, 4])
    subscription.cancel()
  }

  @Test func `testBatchCommits: many writes of one commit are one version, none are none`() {
    store.commit {
      $0.count += 1
      $0.loggedIn.visits += 1
      $0.count += 1
    }
    #expect(store.changes.version == 1)
    store.commit { _ in }
    #expect(store.changes.version == 1)
  }

  @Test func `testChangesBetaMap: an optional part is nil, then new, then changed`() {
    #expect(store.changes.mapIfPresent(\.search) == nil)
    store.commit { $0.search = LibraryState.Search(text: "a") }
    #expect(store.changes.mapIfPresent(\.search)?.previous == nil)
    store.commit { $0.search?.text = "b" }
    #expect(store.changes.mapIfPresent(\.search)?.previous?.text == "a")
  }

  @Test func `operation and hoge: detached dispatchers commit to their parts`() {
    let info = store.detached(from: \.loggedIn).detached(by: \.myInfo)
    info.commit { (state: inout LibraryState.LoggedIn.MyInfo) in state.name = "Ada" }
    info.detached(from: \.loggedOut).commit(scope: \.attempts) { $0 = 2 }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
    #expect(store.state.loggedOut.attempts == 2)
  }

  @Test func `testOneCommit: the name of a commit reaches the traces`() {
    store.commit("MyCommit") { $0.count = 1 }
    #expect(store.changes.traces.map(\.name) == ["MyCommit"])
  }

  @Test func `testCommitHook: middleware edits within the same version`() {
    store.add(middleware: .modify { edit in edit.state.loggedIn.visits = edit.state.count })
    store.commit { $0.count += 1 }
    #expect(store.state.loggedIn.visits == 1)
    #expect(store.changes.version == 1)
  }

  @Test func `testSend: an activity reaches its subscribers once`() {
    let activities = Recorder<LibraryActivity>()
    let subscription = store.sinkActivity { activities.record($0) }
    store.send(.opened)
    #expect(activities.elements == [.opened])
    subscription.cancel()
  }

  @Test func `testTransaction: what is attached to a commit is seen with its version`() {
    let key = CommitAttachmentKey<Bool>()
    let seen = Recorder<Bool?>()
    let subscription = store.sinkState { seen.record($0.attachments[key]) }
    store.commit { state, attachments in
      state.count = 1
      attachments[key] = true
    }
    store.commit { $0.count = 2 }
    #expect(seen.elements == [nil, true, nil])
    subscription.cancel()
  }

  @Test func `testRecursiveCommit: a commit inside a sink is delivered after the present one`() {
    let store = store
    let received = Recorder<Int>()
    let first = store.sinkState(first: .nextCommit) { changes in
      if changes.count < 5 { store.commit { $0.count += 1 } }
    }
    let second = store.sinkState(first: .nextCommit) { received.record($0.count) }
    store.commit { $0.count = 1 }
    #expect(received.elements == [1, 2, 3, 4, 5])
    first.cancel()
    second.cancel()
  }

  @Test func `testReproduceDeadlock: a sink that waits for another thread's commit goes on`() {
    let store = store
    let waited = Recorder<Bool>()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      guard changes.count == 1 else { return }
      waited.record(inBackground { store.commit { $0.count = 2 } }.wait())
    }
    store.commit { $0.count = 1 }
    #expect(waited.elements == [true])
    subscription.cancel()
  }

  @Test func `testEventOrder: a hundred sinks and one that commits again see rising versions`() {
    let store = store
    let recorders = (0..<100).map { _ in Recorder<UInt64>() }
    var subscriptions = recorders.map { recorder in store.sinkState { recorder.record($0.version) }
    }
    subscriptions.append(
      store.sinkState { changes in
        if changes.loggedIn.visits < 20 { store.commit { $0.loggedIn.visits += 1 } }
      }
    )
    DispatchQueue.concurrentPerform(iterations: 100) { _ in store.commit { $0.count += 1 } }
    #expect(store.waitForDeliveries())
    let expected = Array(0...store.changes.version)
    #expect(recorders.allSatisfy { $0.elements == expected })
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `testOrder and testEmitsAll: every activity arrives, in order`() {
    let seen = Recorder<LibraryActivity>()
    let subscription = store.sinkActivity { seen.record($0) }
    for number in 0..<1_000 { store.send(.rang(number)) }
    #expect(seen.elements == (0..<1_000).map { .rang($0) })
    subscription.cancel()
  }

  @Test func `testOrderOfEvents: a hundred commits at once, each version once and in order`() {
    let expected = Array(1...100 as ClosedRange<UInt64>)
    for round in 0..<rounds {
      let store = LibraryStore()
      let versions = Recorder<UInt64>()
      let subscription = store.sinkState(first: .nextCommit) { versions.record($0.version) }
      DispatchQueue.concurrentPerform(iterations: 100) { _ in store.commit { $0.count += 1 } }
      #expect(store.waitForDeliveries())
      #expect(versions.elements == expected, "round \(round)")
      subscription.cancel()
    }
  }

  /// Fewer where a sanitizer watches.
  private var rounds: Int {
    loopCount("STRATA_SEQUENCES", 1_000)
  }
}
