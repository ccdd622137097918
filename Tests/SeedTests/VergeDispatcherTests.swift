import Strata
import Testing

/// One test for each sentence of `1-verge-dispatcher.md` that states a behaviour.
@Suite struct VergeDispatcherTests {
  typealias MyDispatcher = VergeDispatcher.MyDispatcher
  typealias FetchingDispatcher = VergeDispatcher.WithDependency.MyDispatcher

  let store = VergeDispatcher.MyStore()

  @Test func `it updates the state of the store from away the store`() {
    let dispatcher = MyDispatcher(targetStore: store)

    dispatcher.doSomething()

    #expect(store.state.count == 100)
  }

  @Test func `it is an object`() {
    let dispatcher = MyDispatcher(targetStore: store)
    let same: any DispatcherType = dispatcher
    #expect(same === dispatcher)
  }

  @Test func `it does not have its own state`() {
    let one = MyDispatcher(targetStore: store)
    let other = MyDispatcher(targetStore: store)
    one.doSomething()
    #expect(other.state.count == 100)
  }

  @Test func `it commits to the specified store alone`() {
    let other = VergeDispatcher.MyStore()
    MyDispatcher(targetStore: store).doSomething()
    #expect(other.state.count == 0)
  }

  @Test func `the store has a typealias to define a dispatcher`() {
    #expect(
      VergeDispatcher.MyStore.Dispatcher.self
        == DispatcherBase<VergeDispatcher.State, VergeDispatcher.Activity>.self
    )
  }

  @Test func `the typealias of a store without activities has Never for them`() {
    #expect(VergeScopes.MyStore.Dispatcher.self == DispatcherBase<VergeScopes.AppState, Never>.self)
  }

  @Test func `a dispatcher without anything of its own is created with its target store`() {
    let dispatcher = VergeDispatcher.Defining.MyDispatcher(targetStore: store)
    #expect(dispatcher.targetStore === store)
  }

  @Test func `the label target reads as targetStore`() {
    let dispatcher = MyDispatcher(target: store)
    #expect(dispatcher.targetStore === store)
  }

  @Test func `a dependency fetches and the dispatcher commits`() {
    let apiClient = VergeDispatcher.APIClient()
    let dispatcher = FetchingDispatcher(apiClient: apiClient, target: store)

    dispatcher.fetchData()
    apiClient.answer(.success(VergeDispatcher.APIClient.Payload(text: "a,b")))

    #expect(store.state.fetchedItems == ["a", "b"])
  }

  @Test func `a failure of the dependency commits nothing`() {
    let apiClient = VergeDispatcher.APIClient()
    let dispatcher = FetchingDispatcher(apiClient: apiClient, target: store)
    dispatcher.fetchData()
    apiClient.answer(.failure(VergeDispatcher.APIClient.Unreachable()))
    #expect(dispatcher.failures.all == ["Unreachable()"])
    #expect(store.changes.version == 0)
  }

  @Test func `a dependency lives as long as its dispatcher`() {
    weak var apiClient: VergeDispatcher.APIClient?
    do {
      let dispatcher = FetchingDispatcher(apiClient: .init(), target: store)
      apiClient = dispatcher.apiClient
      #expect(apiClient != nil)
    }
    #expect(apiClient == nil)
  }

  @Test func `an answer after the dispatcher is gone commits nothing`() {
    let apiClient = VergeDispatcher.APIClient()
    do {
      let dispatcher = FetchingDispatcher(apiClient: apiClient, target: store)
      dispatcher.fetchData()
    }
    apiClient.answer(.success(VergeDispatcher.APIClient.Payload(text: "a,b")))
    #expect(store.changes.version == 0)
  }
}

@Suite struct VergeScopesTests {
  typealias LoggedInService = VergeScopes.LoggedInService

  let store = VergeScopes.MyStore()

  @Test func `any number of dispatchers of any type serve one store`() {
    let loggedInDispatchers = (0..<3).map { _ in VergeScopes.LoggedInDispatcher(targetStore: store)
    }
    let loggedOutDispatcher = VergeScopes.LoggedOutDispatcher(targetStore: store)
    loggedInDispatchers.forEach { $0.performB() }
    loggedOutDispatcher.attempt()
    #expect(store.state.loggedIn.xxx == 3)
    #expect(store.state.loggedOut.attempts == 1)
  }

  @Test func `a dispatcher can go while the store and the others stay`() {
    let loggedInDispatcher = VergeScopes.LoggedInDispatcher(targetStore: store)
    weak var gone: VergeScopes.LoggedOutDispatcher?
    do {
      let loggedOutDispatcher = VergeScopes.LoggedOutDispatcher(targetStore: store)
      loggedOutDispatcher.attempt()
      gone = loggedOutDispatcher
    }
    loggedInDispatcher.performB()
    #expect(gone == nil)
    #expect(store.state.loggedOut.attempts == 1)
    #expect(store.state.loggedIn.xxx == 1)
  }

  @Test func `a commit that only looks at its part is allowed`() {
    VergeScopes.LoggedInDispatcher(targetStore: store).performA()
    #expect(store.state == VergeScopes.AppState())
  }

  @Test func `commit in a scoped dispatcher mutates its part directly`() {
    LoggedInService(store: store).someOperation()
    #expect(store.state.loggedIn.xxx == 7)
  }

  @Test func `commit in a scoped dispatcher leaves the rest of the tree`() {
    LoggedInService(store: store).someOperation()
    #expect(store.state.db == VergeScopes.Database())
    #expect(store.state.loggedOut == VergeScopes.LoggedOutState())
  }

  @Test func `detaching by a key path moves on more deeply`() {
    LoggedInService(store: store).detachingOperation()
    #expect(store.state.loggedIn.myInfo == VergeScopes.MyInfo(name: "Ada"))
  }

  @Test func `detaching from a key path starts at the root`() {
    LoggedInService(store: store).detachingFromRoot()
    #expect(store.state.db.names == [1: "Ada"])
  }
}
