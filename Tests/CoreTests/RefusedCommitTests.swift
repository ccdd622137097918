import StrataCore
import TestSupport
import Testing

/// What happens to a commit that is refused and cannot throw.
@Suite struct RefusedCommitTests {
  /// Refuses every commit with a sentence that ends with a full stop, as the errors of Strata do.
  struct Refusal: Error, Equatable, CustomStringConvertible {
    var description: String { "The shelf is full." }
  }

  let store = LibraryStore()
  let refused = Recorder<RefusedCommit>()

  init() {
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.add(middleware: .modify { if $0.state.count > 10 { throw Refusal() } })
  }

  @Test func `it is rolled back, and the closure's value is returned`() {
    let states = Recorder<Int>()
    let subscription = store.sinkState { states.record($0.count) }
    let number = store.commit { state in
      state.count = 11
      return state.count
    }
    #expect(number == 11)
    #expect(store.state.count == 0)
    #expect(store.changes.version == 0)
    #expect(states.elements == [0])
    subscription.cancel()
  }

  @Test func `the handler receives the store, the error, the name and the place`() throws {
    store.commit("shelve") { $0.count = 11 }
    let line: UInt = #line - 1
    #expect(refused.elements.count == 1)
    let commit = try #require(refused.elements.first)
    #expect(commit.store == "LibraryStore")
    #expect(commit.error as? Refusal == Refusal())
    #expect(commit.trace.name == "shelve")
    #expect(commit.trace.place == "CoreTests/RefusedCommitTests.swift:\(line) \(#function)")
  }

  @Test func `the text has each sentence end in one full stop`() {
    let trace = CommitTrace(name: "shelve", fileID: "App/Shelf.swift", function: "fill()", line: 3)
    store.commit(trace.name) { $0.count = 11 }
    let text = refused.elements.map(\.description).joined()
    #expect(text.hasPrefix("The commit \"shelve\" at CoreTests/RefusedCommitTests.swift:"))
    #expect(text.hasSuffix(" was refused: The shelf is full. LibraryStore is unchanged."))
  }

  @Test func `a commit without a name is called by its place`() {
    store.commit { $0.count = 11 }
    let text = refused.elements.map(\.description).joined()
    #expect(text.hasPrefix("The commit at CoreTests/RefusedCommitTests.swift:"))
  }

  @Test func `a closure that throws another type of error returns its value, too`() throws {
    struct Other: Error {}
    try store.commit { (state: inout LibraryState) throws(Other) in state.count = 11 }
    #expect(refused.elements.count == 1)
    #expect(store.changes.version == 0)
  }

  @Test func `a closure that throws any error throws it, and the handler is not called`() {
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 11 } }
    #expect(refused.elements.isEmpty)
  }

  @Test func `the next commit goes on`() {
    store.commit { $0.count = 11 }
    store.commit { $0.count = 4 }
    #expect(store.state.count == 4)
    #expect(store.changes.version == 1)
  }

  @Test func `the handler may commit`() {
    store.refusedCommitHandler = { [weak store] _ in store?.commit { $0.loggedOut.attempts += 1 } }
    store.commit { $0.count = 11 }
    #expect(store.state.loggedOut.attempts == 1)
    #expect(store.changes.version == 1)
  }

  @Test func `the handler that was set last is called alone`() {
    let first = store.refusedCommitHandler
    let second = Recorder<RefusedCommit>()
    store.refusedCommitHandler = { second.record($0) }
    store.commit { $0.count = 11 }
    #expect(refused.elements.isEmpty)
    #expect(second.elements.count == 1)
    store.refusedCommitHandler = first
    store.commit { $0.count = 11 }
    #expect(refused.elements.count == 1)
  }

  @Test func `commits of a part, with attachments, of mutations and of actions are reported`() {
    let dispatcher = Shelver(targetStore: store)
    let part = store.detached(from: \.count)
    part.commit { $0 = 11 }
    store.commit(scope: \.count) { $0 = 11 }
    store.commit { state, _ in state.count = 11 }
    dispatcher.accept { $0.fill() }
    dispatcher.dispatch { $0.fillInAction() }
    #expect(refused.elements.map(\.trace.name) == ["", "", "", "fill", "fill", "in action"])
    #expect(store.changes.version == 0)
  }

  @Test func `setting a binding and assigning are reported, as they cannot throw`() {
    let binding = store.bindingDerived(\.count, name: "bind")
    binding.value = 11
    #expect(binding.value == 0)
    let source = LibraryStore()
    let subscription = source.derived(.map(\.count)).assign(to: store.assignee(\.count))
    source.commit { $0.count = 11 }
    #expect(refused.elements.map(\.trace.name) == ["bind", "assign"])
    #expect(store.changes.version == 0)
    subscription.cancel()
  }

  @Test func `by default the refusal is written to standard error`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      store.add(middleware: .modify { _ in throw Refusal() })
      store.commit("shelve") { $0.count = 11 }
    }
    let text = result?.standardErrorContent.text
    #expect(text?.contains("was refused: The shelf is full. LibraryStore is unchanged.") == true)
    #expect(text?.contains("Make the state a RuledStateType") == true)
    #expect(text?.contains("refusedCommitHandler") == true)
    // What a sanitizer or a backtrace adds is not ours.
    let lines = text?.split(separator: "\n").filter { $0.contains("refused") } ?? []
    #expect(!lines.isEmpty && lines.allSatisfy { !$0.contains("..") })
  }
}

private final class Shelver: LibraryStore.Dispatcher, @unchecked Sendable {
  func fill() -> Mutation<Void> { .mutation("fill") { $0.count = 11 } }

  func fillInAction() -> Action<Void> {
    .action { context in
      context.commit { $0.fill() }
      context.commit("in action") { $0.count = 11 }
    }
  }
}
