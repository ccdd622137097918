import StrataCore
import TestSupport
import Testing

private struct Shelf: RuledStateType {
  struct Part: Sendable {
    var count = 0
    var note: String?
  }

  var count = 0
  var part = Part()
}

private typealias ShelfStore = Store<Shelf, Never>

private final class ShelfService: ShelfStore.Dispatcher, @unchecked Sendable {
  func fill() -> Mutation<Int> {
    .mutation {
      $0.count = 11
      return $0.count
    }
  }

  func fillInAction() -> ThrowingAction<Int> {
    .action { context in try context.commit { $0.fill() } }
  }

  func fillInline() -> ThrowingAction<Void> {
    .action { context in try context.commitInline { $0.count = 11 } }
  }

  func fillPart() -> ThrowingAction<Void> {
    .action { context in try context.commit(scope: \.part.count) { $0 = 11 } }
  }

  func fillLater() -> AsyncThrowingAction<Void> {
    .action { context in try context.commit { state in state.count = 11 } }
  }
}

/// A state whose commits throw in their type.
///
/// In each test the closures cannot throw. Without the overloads for ruled states, `try` before a commit
/// is a warning, and warnings are errors here.
@Suite struct RuledStateTests {
  struct Refusal: Error, Equatable {}

  private let store = ShelfStore(initialState: Shelf())
  private let service: ShelfService
  private let refused = Recorder<RefusedCommit>()

  init() {
    service = ShelfService(targetStore: store)
    store.refusedCommitHandler = { [refused] in refused.record($0) }
    store.add(
      middleware: .modify {
        if $0.state.count > 10 || $0.state.part.count > 10 { throw Refusal() }
      }
    )
  }

  private func expectRefusal(_ commit: () throws -> Void) {
    #expect(throws: Refusal()) { try commit() }
    #expect(store.changes.version == 0)
    #expect(refused.elements.isEmpty)
  }

  @Test func `a commit that is refused throws where its closure cannot`() {
    expectRefusal { try store.commit { $0.count = 11 } }
    expectRefusal { try store.commit("named") { $0.count = 11 } }
    expectRefusal { try service.commit { $0.count = 11 } }
  }

  @Test func `the error is caught by a catch that names it`() {
    do {
      try store.commit { $0.count = 11 }
      Issue.record("The commit must throw.")
    } catch is Refusal {
      #expect(store.state.count == 0)
    } catch {
      Issue.record(error)
    }
  }

  @Test func `a commit of a part throws`() {
    expectRefusal { try store.commit(scope: \.part.count) { $0 = 11 } }
    expectRefusal { try store.detached(from: \.part).commit { $0.count = 11 } }
    expectRefusal { try store.detached(from: \.part).detached(by: \.count).commit { $0 = 11 } }
  }

  @Test func `a commit with attachments throws`() {
    expectRefusal { try store.commit { state, _ in state.count = 11 } }
  }

  @Test func `a mutation that cannot fail throws when it is committed`() {
    expectRefusal { try service.accept { $0.fill() } }
  }

  @Test func `each commit of a context throws`() {
    expectRefusal { try service.dispatch { $0.fillInAction() } }
    expectRefusal { try service.dispatch { $0.fillInline() } }
    expectRefusal { try service.dispatch { $0.fillPart() } }
  }

  @Test func `a commit of an asynchronous action throws`() async {
    await #expect(throws: Refusal()) { try await service.dispatch { $0.fillLater() } }
    #expect(store.changes.version == 0)
    #expect(refused.elements.isEmpty)
  }

  @Test func `what the closure throws is rethrown, typed or not`() {
    struct Other: Error, Equatable {}
    #expect(throws: Other()) { try store.commit { _ in throw Other() } }
    #expect(throws: Other()) {
      try store.commit { (state: inout Shelf) throws(Other) in throw Other() }
    }
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that is not refused returns the closure's value`() throws {
    let count = try store.commit { state in
      state.count = 4
      return state.count
    }
    #expect(count == 4)
    #expect(try service.accept { $0.fillNot() } == 5)
    #expect(try store.commit(scope: \.part.note) { $0 = "full" } == ())
    #expect(store.state.part.note == "full")
    #expect(store.changes.version == 3)
  }

  @Test func `a function over dispatchers of this state throws too`() {
    func fill(_ part: some DispatcherType<Shelf, Never, Shelf.Part>) throws {
      try part.commit { $0.count = 11 }
    }
    expectRefusal { try fill(store.detached(from: \.part)) }
  }

  @Test func `a function over any dispatcher reports the refusal`() {
    func fill<D: DispatcherType>(_ dispatcher: D, _ edit: (inout D.Scope) -> Void) {
      dispatcher.commit { edit(&$0) }
    }
    fill(store) { $0.count = 11 }
    #expect(store.changes.version == 0)
    #expect(refused.elements.map { $0.error as? Refusal } == [Refusal()])
  }
}

extension ShelfService {
  fileprivate func fillNot() -> Mutation<Int> {
    .mutation {
      $0.count += 1
      return $0.count
    }
  }
}
