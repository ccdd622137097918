import Dispatch
import Strata
import Testing

/// One test for each sentence of `3-verge-action.md` that states a behaviour.
@Suite struct VergeActionTests {
  typealias MyDispatcher = VergeAction.MyDispatcher
  typealias Todo = VergeAction.Todo

  let store = VergeAction.MyStore()

  @Test func `to run an action, dispatch it`() {
    let dispatcher = VergeAction.Declaring.MyDispatcher(target: store)

    dispatcher.dispatch { $0.someAsyncOperation() }

    #expect(store.state.count == 2)
  }

  @Test func `an action does not mutate state directly`() {
    let dispatcher = VergeAction.Creating.MyDispatcher(target: store)
    _ = VergeAction.Declaring.MyDispatcher(target: store).someAsyncOperation()
    dispatcher.dispatch { $0.someAsyncOperation() }
    #expect(store.state == VergeAction.State())
  }

  @Test func `an action groups mutations, each a commit of its own`() {
    let versions = LockedList<UInt64>()
    let subscription = store.sinkState(first: .nextCommit) { versions.append($0.version) }
    VergeAction.Declaring.MyDispatcher(target: store).dispatch { $0.someAsyncOperation() }
    #expect(versions.all == [1, 2])
    subscription.cancel()
  }

  @Test func `a mutation is a synchronous operation`() {
    MyDispatcher(target: store).accept { $0.someMutation() }
    #expect(store.state.count == 1)
  }

  @Test func `to commit a mutation, do it from the context`() {
    MyDispatcher(target: store).dispatch { $0.someAsyncOperation() }
    #expect(store.state.count == 1)
  }

  @Test func `an action may commit asynchronously`() {
    let dispatcher = VergeAction.Asynchronous.MyDispatcher(target: store)
    dispatcher.dispatch { $0.someAsyncOperation() }
    #expect(dispatcher.committed.wait(timeout: .now() + 300) == .success)
    #expect(store.state.count == 1)
  }

  @Test func `the context commits a mutation that is created inline`() {
    VergeAction.Inline.MyDispatcher(target: store).dispatch { $0.someAsyncOperation() }
    #expect(store.state.count == 7)
  }

  @Test func `an action can return anything, and its caller knows when it has completed`() {
    let dispatcher = VergeAction.Returning.MyDispatcher(target: store)
    let completed = LockedList<[Todo]>()
    let store = store

    dispatcher.dispatch { $0.fetchRemoteTodos() }
      .sink {
        completed.append(store.state.todos)
      }

    #expect(completed.all == [])
    for answer in dispatcher.answers.takeAll() { answer([Todo(title: "read")]) }
    #expect(completed.all == [[Todo(title: "read")]])
  }

  @Test func `accept returns what the action returns`() {
    let dispatcher = VergeAction.Returning.MyDispatcher(target: store)
    let completed = LockedList<Int>()

    dispatcher.accept { $0.fetchRemoteTodos() }
      .sink {
        // completed action
        completed.append(1)
      }

    for answer in dispatcher.answers.takeAll() { answer([]) }
    #expect(completed.all == [1])
  }

  @Test func `an action object has metadata and a name`() {
    let action = AnyAction<MyDispatcher, Int>("seven") { _ in 7 }
    #expect(action.metadata.name == "seven")
    #expect("\(action.metadata.fileID)" == "SeedTests/VergeActionTests.swift")
    #expect(MyDispatcher(target: store).dispatch { _ in action } == 7)
  }
}
