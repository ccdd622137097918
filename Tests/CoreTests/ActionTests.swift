import Dispatch
import StrataCore
import TestSupport
import Testing

/// A dispatcher with every kind of action and mutation.
final class Librarian: LibraryStore.Dispatcher, @unchecked Sendable {
  struct Closed: Error, Equatable {}

  func increment() -> Mutation<Void> { .mutation { $0.count += 1 } }

  func add(_ number: Int) -> AnyMutation<Librarian, Int> {
    .mutation("add") { state in
      state.count += number
      return state.count
    }
  }

  func visit() -> Mutation<Int> {
    .mutation(scope: \.loggedIn) { part in
      part.visits += 1
      return part.visits
    }
  }

  func refuse() -> ThrowingMutation<Void> {
    .mutation { state in
      state.count = 99
      throw Closed()
    }
  }

  func incrementTwice() -> Action<Int> {
    .action("twice") { context in
      context.commit { $0.increment() }
      context.commit { $0.increment() }
      return context.state.count
    }
  }

  func outer() -> Action<Int> {
    .dispatch("outer") { context in
      context.commitInline { state in state.count = 10 }
      return context.dispatch { $0.incrementTwice() }
    }
  }

  func open() -> Action<Void> { .action { $0.send(.opened) } }

  func close() -> ThrowingAction<Void> {
    .action { context in
      context.commit { state in state.count = 5 }
      throw Closed()
    }
  }

  func later(_ done: Latch) -> Action<Void> {
    .action { context in
      DispatchQueue.global().async {
        context.commit { $0.increment() }
        done.open()
      }
    }
  }
}

@Suite struct ActionTests {
  typealias Closed = Librarian.Closed

  let store = LibraryStore()
  let librarian: Librarian

  init() { librarian = Librarian(targetStore: store) }

  @Test func `creating an action runs nothing`() {
    _ = librarian.incrementTwice()
    #expect(store.changes.version == 0)
  }

  @Test func `dispatch returns what the action returns`() {
    #expect(librarian.dispatch { $0.incrementTwice() } == 2)
  }

  @Test func `accept does the same as dispatch`() {
    #expect(librarian.accept { $0.incrementTwice() } == 2)
  }

  @Test func `an action may be dispatched as often as one likes`() {
    let action = librarian.incrementTwice()
    librarian.dispatch { _ in action }
    #expect(librarian.dispatch { _ in action } == 4)
  }

  @Test func `an action may commit on another thread after it has returned`() {
    let done = Latch()
    librarian.dispatch { $0.later(done) }
    #expect(done.wait())
    #expect(store.state.count == 1)
  }

  @Test func `accept commits a mutation and returns what it returns`() {
    #expect(librarian.accept { $0.add(4) } == 4)
  }

  @Test func `the same mutation may be committed again`() {
    let mutation = librarian.add(2)
    librarian.accept { _ in mutation }
    #expect(librarian.accept { _ in mutation } == 4)
  }

  @Test func `a mutation of a part edits the part`() {
    #expect(librarian.accept { $0.visit() } == 1)
    #expect(store.state.loggedIn.visits == 1)
  }

  @Test func `a mutation that throws has not happened`() {
    #expect(throws: Closed()) { try librarian.accept { $0.refuse() } }
    #expect(store.state.count == 0)
    #expect(store.changes.version == 0)
  }

  @Test func `an action that throws keeps what it had committed`() {
    #expect(throws: Closed()) { try librarian.dispatch { $0.close() } }
    #expect(store.state.count == 5)
  }

  @Test func `an action dispatches another and gets its result`() {
    #expect(librarian.dispatch { $0.outer() } == 12)
  }

  @Test func `an action sends activities`() {
    let activities = Recorder<LibraryActivity>()
    let subscription = store.sinkActivity { activities.record($0) }
    librarian.dispatch { $0.open() }
    #expect(activities.elements == [.opened])
    subscription.cancel()
  }

  @Test func `an action of a store is dispatched by the store`() {
    let count = store.dispatch { store in
      AnyAction<LibraryStore, Int> { context in
        context.commit { state in state.count = 3 }
        return context.state.count
      }
    }
    #expect(count == 3)
  }

  @Test func `the context of a scoped dispatcher has its scope`() {
    final class Visitor: LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>, @unchecked Sendable {
      func visit() -> Action<Int> {
        .action { context in
          context.commit { $0.enter() }
          context.commit(scope: \.myInfo) { $0.name = "Ada" }
          return context.state.visits
        }
      }
      func enter() -> Mutation<Void> { .mutation { $0.visits += 1 } }
    }
    let visitor = Visitor(targetStore: store, scope: \.loggedIn)
    #expect(visitor.dispatch { $0.visit() } == 1)
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `the context of a dispatcher of an optional part has it as an optional`() {
    final class Searcher: LibraryStore.ScopedDispatcher<LibraryState.Search?>, @unchecked Sendable {
      func search(_ text: String) -> Mutation<Void> {
        .mutation { $0 = LibraryState.Search(text: text) }
      }
      func append(_ text: String) -> Mutation<Void> { .mutation { $0?.text += text } }
    }
    let searcher = Searcher(targetStore: store, scope: \.search)
    searcher.accept { $0.append("!") }
    searcher.accept { $0.search("Lem") }
    searcher.accept { $0.append("?") }
    #expect(store.state.search?.text == "Lem?")
  }

  @Test func `an action knows its name and place`() {
    let line: UInt = #line + 1
    let action = AnyAction<Librarian, Void>("tidy") { _ in }
    let expected = ActionMetadata(name: "tidy", fileID: #fileID, function: #function, line: line)
    #expect(action.metadata == expected)
  }

  @Test func `the context knows the running action`() {
    let metadata = librarian.dispatch { _ in
      AnyAction<Librarian, ActionMetadata>("tidy") { $0.metadata }
    }
    #expect(metadata.name == "tidy")
  }

  @Test func `a commit of a mutation carries the name of the mutation`() {
    librarian.accept { $0.add(1) }
    #expect(store.changes.traces.map(\.name) == ["add"])
  }

  @Test func `a commit in an action carries the actions that led to it, from the inside out`() {
    librarian.dispatch { $0.outer() }
    #expect(store.changes.traces.map(\.name) == ["", "twice", "outer"])
  }

  @Test func `a mutation carries the place where it is written`() {
    librarian.accept { $0.increment() }
    #expect(store.changes.traces.map { "\($0.function)" } == ["increment()"])
  }

  @Test func `an action that has run lets go of its dispatcher`() {
    var librarian: Librarian? = Librarian(targetStore: store)
    weak let weakLibrarian = librarian
    librarian?.dispatch { $0.outer() }
    librarian = nil
    #expect(weakLibrarian == nil)
  }

  @Test func `an action that has something to commit keeps its dispatcher`() {
    var librarian: Librarian? = Librarian(targetStore: store)
    let context = librarian?.dispatch { _ in
      AnyAction<Librarian, DispatcherContext<Librarian>> { $0 }
    }
    librarian = nil
    context?.commit { $0.increment() }
    #expect(store.state.count == 1)
  }
}
