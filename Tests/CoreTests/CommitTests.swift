import Dispatch
import StrataCore
import TestSupport
import Testing

@Suite struct CommitTests {
  struct Refusal: Error, Equatable {}

  let store = LibraryStore()

  @Test func `a commit is visible in state when it returns`() {
    store.commit { $0.count = 100 }
    #expect(store.state.count == 100)
  }

  @Test func `a commit through a nested key path is visible in state`() {
    store.commit { $0.loggedIn.myInfo.name = "Ada" }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `a commit on another thread is visible in state`() {
    let store = store
    #expect(inBackground { store.commit { $0.count = 100 } }.wait())
    #expect(store.state.count == 100)
  }

  @Test func `a commit returns what its closure returns`() {
    let old = store.commit { state in
      defer { state.count = 5 }
      return state.count
    }
    #expect(old == 0)
  }

  @Test func `a closure that cannot throw needs no try`() {
    let doubled = store.commit { state -> Int in
      state.count = 21
      return state.count * 2
    }
    #expect(doubled == 42)
  }

  @Test func `what the closure throws is rethrown with its type`() {
    do throws(Refusal) {
      try store.commit { (_: inout LibraryState) throws(Refusal) in throw Refusal() }
      Issue.record("nothing was thrown")
    } catch {
      #expect(error == Refusal())
    }
  }

  @Test func `a commit that throws leaves the state as it was`() {
    let before = store.state
    #expect(throws: Refusal()) {
      try store.commit { state in
        state.count = 1
        state.loggedIn.myInfo.name = "Ada"
        throw Refusal()
      }
    }
    #expect(store.state == before)
  }

  @Test func `a commit that throws makes no version`() {
    #expect(throws: Refusal()) { try store.commit { _ in throw Refusal() } }
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that throws reaches no subscriber`() {
    let versions = Recorder<UInt64>()
    let subscription = store.sinkState(first: .nextCommit) { versions.record($0.version) }
    #expect(throws: Refusal()) { try store.commit { _ in throw Refusal() } }
    #expect(versions.elements == [])
    subscription.cancel()
  }

  @Test func `a store can commit after a commit that threw`() {
    #expect(throws: Refusal()) { try store.commit { _ in throw Refusal() } }
    store.commit { $0.count = 1 }
    #expect(store.state.count == 1)
  }

  @Test func `state inside the own mutation is the last committed value`() {
    let store = store
    let seen = store.commit { state in
      state.count = 1
      return store.state.count
    }
    #expect(seen == 0)
  }

  @Test func `a store is named after its type`() {
    #expect(store.name == "LibraryStore")
  }

  @Test func `a store bears the name it was given`() {
    #expect(LibraryStore(name: "main", initialState: LibraryState()).name == "main")
  }
}
