import StrataCore
import TestSupport
import Testing

@Suite struct ScopeTests {
  let store = LibraryStore()

  @Test func `a scoped commit edits the part alone`() {
    store.commit(scope: \.loggedIn) { $0.visits = 3 }
    var expected = LibraryState()
    expected.loggedIn.visits = 3
    #expect(store.state == expected)
  }

  @Test func `a scoped commit returns what its closure returns`() {
    #expect(store.commit(scope: \.loggedIn) { $0.visits + 1 } == 1)
  }

  @Test func `an optional part is given as an optional`() {
    store.commit(scope: \.search) { $0 = LibraryState.Search(text: "Lem") }
    #expect(store.state.search == LibraryState.Search(text: "Lem"))
  }

  @Test func `an optional part that is there can be edited`() {
    store.commit { $0.search = LibraryState.Search(text: "Lem") }
    store.commit(scope: \.search) { $0?.text = "Lispector" }
    #expect(store.state.search?.text == "Lispector")
  }

  @Test func `an optional part that is absent stays so`() {
    store.commit(scope: \.search) { $0?.text = "Lispector" }
    #expect(store.state.search == nil)
  }

  @Test func `a dispatcher commits to the whole state`() {
    let dispatcher = LibraryStore.Dispatcher(target: store)
    dispatcher.commit { $0.count = 7 }
    #expect(store.state.count == 7)
  }

  @Test func `a scoped dispatcher commits to its part`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    dispatcher.commit { $0.visits = 7 }
    #expect(store.state.loggedIn.visits == 7)
  }

  @Test func `the state of a scoped dispatcher is its part`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    store.commit { $0.loggedIn.visits = 7 }
    #expect(dispatcher.state == store.state.loggedIn)
  }

  @Test func `the root state of a scoped dispatcher is the whole`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    store.commit { $0.count = 7 }
    #expect(dispatcher.rootState == store.state)
  }

  @Test func `a scope in a scoped commit starts at the part of the dispatcher`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    dispatcher.commit(scope: \.myInfo) { $0.name = "Ada" }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `detached(by:) starts at the own scope`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    dispatcher.detached(by: \.myInfo).commit { $0.name = "Ada" }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `detached(by:) of detached(by:) goes on from there`() {
    store.detached(by: \.loggedIn).detached(by: \.myInfo).detached(by: \.name).commit {
      $0 = "Ada"
    }
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `detached(from:) starts at the root`() {
    let dispatcher = LibraryStore.ScopedDispatcher(targetStore: store, scope: \.loggedIn)
    dispatcher.detached(from: \.loggedOut).commit { $0.attempts = 2 }
    #expect(store.state.loggedOut.attempts == 2)
  }

  @Test func `the sink of a scoped dispatcher sees its part`() {
    let names = Recorder<String>()
    let info = store.detached(from: \.loggedIn.myInfo)
    let subscription = info.sinkState { names.record($0.name) }
    info.commit { $0.name = "Ada" }
    store.commit { $0.count = 1 }
    #expect(names.elements == ["", "Ada", "Ada"])
    subscription.cancel()
  }

  @Test func `the methods of a dispatcher compose`() {
    final class Counter: LibraryStore.Dispatcher, @unchecked Sendable {
      func reset() { commit { $0.count = 0 } }
      func increment() { commit { $0.count += 1 } }
      func restart() {
        reset()
        increment()
        increment()
      }
    }
    store.commit { $0.count = 9 }
    Counter(targetStore: store).restart()
    #expect(store.state.count == 2)
  }
}
