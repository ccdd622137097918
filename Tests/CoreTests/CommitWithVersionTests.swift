import StrataCore
import TestSupport
import Testing

/// A caller knows whether its commit made a version.
@Suite struct CommitWithVersionTests {
  struct Refusal: Error, Equatable {}

  let store = LibraryStore()

  @Test func `a commit that changes something says its version`() {
    store.commit { $0.count = 1 }
    let (count, version) = store.commitWithVersion("count") { state in
      state.count += 1
      return state.count
    }
    #expect(count == 2)
    #expect(version == 2)
    #expect(store.changes.version == 2)
    #expect(store.changes.traces.first?.name == "count")
  }

  @Test func `a commit that changes nothing says that there is no version`() {
    let (count, version) = store.commitWithVersion { state in
      state.count = 0
      return state.count
    }
    #expect(count == 0)
    #expect(version == nil)
    #expect(store.changes.version == 0)
  }

  @Test func `it is the commit's own version when a subscriber commits at once`() {
    let subscription = store.sinkState(first: .nextCommit) { [weak store] changes in
      if changes.version == 1 { store?.commit { $0.loggedOut.attempts = 1 } }
    }
    #expect(store.commitWithVersion { $0.count = 1 }.version == 1)
    #expect(store.changes.version == 2)
    subscription.cancel()
  }

  @Test func `a commit of a part and of a context say it too`() {
    let service = VersionService(targetStore: store)
    #expect(store.detached(from: \.loggedIn).commitWithVersion { $0.visits = 3 }.version == 1)
    #expect(service.dispatch { $0.count(to: 4) } == 2)
    #expect(service.dispatch { $0.count(to: 4) } == nil)
    #expect(store.changes.traces.map(\.name) == ["count", "count to"])
  }

  @Test func `a commit that is refused and cannot throw has no version`() {
    store.refusedCommitHandler = { _ in }
    store.add(middleware: .modify { _ in throw Refusal() })
    #expect(store.commitWithVersion { $0.count = 1 }.version == nil)
    #expect(throws: Refusal()) {
      try store.commitWithVersion { (state) throws in state.count = 1 }
    }
  }
}

private final class VersionService: LibraryStore.Dispatcher, @unchecked Sendable {
  func count(to number: Int) -> Action<UInt64?> {
    .action("count to") { context in
      context.commitWithVersion("count") { $0.count = number }.version
    }
  }
}
