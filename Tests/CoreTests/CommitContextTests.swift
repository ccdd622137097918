import Dispatch
import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct CommitContextTests {
  private struct Rename: Codable, Equatable { var to: String }
  private struct Refusal: Error {}

  private let store = LibraryStore()

  private var context: CommitContext? { store.changes.context }

  @Test func `traces differ by name, file, function, line and context`() {
    func trace(
      _ name: String = "a",
      _ file: StaticString = "M/F.swift",
      _ function: StaticString = "f()",
      _ line: UInt = 1,
      _ user: String? = nil
    ) -> CommitTrace {
      CommitTrace(
        name: name,
        fileID: file,
        function: function,
        line: line,
        context: user.map { CommitContext(user: $0) }
      )
    }
    #expect(trace() == trace())
    let others = [
      trace("b"), trace("a", "M/G.swift"), trace("a", "M/F.swift", "g()"),
      trace("a", "M/F.swift", "f()", 2), trace("a", "M/F.swift", "f()", 1, "ann"),
    ]
    for other in others { #expect(trace() != other) }
  }

  @Test func `a commit carries the context that it is given`() {
    store.commit("one", context: CommitContext(user: "ann", request: "7")) { $0.count = 1 }
    #expect(context == CommitContext(user: "ann", request: "7"))
    #expect(store.changes.traces.first?.name == "one")
    store.commit { $0.count = 2 }
    #expect(context == nil)
  }

  @Test func `every form of a commit takes a context`() async throws {
    let ann = CommitContext(user: "ann")
    store.commit(scope: \.loggedIn, context: ann) { $0.visits = 1 }
    #expect(context == ann)
    store.commit("attachments", context: CommitContext(user: "bob")) { state, _ in state.count = 1 }
    #expect(context?.user == "bob")
    let scoped = store.detached(from: \.loggedIn)
    scoped.commit(context: CommitContext(user: "bob")) { $0.visits = 2 }
    #expect(context?.user == "bob")
    let action = LibraryStore.Dispatcher.Action<Void>.action { context in
      context.commit(context: ann) { $0.count = 3 }
    }
    LibraryStore.Dispatcher(targetStore: store).dispatch { _ in action }
    #expect(context == ann)
  }

  @Test func `commits inside with carry its context, and completed by the one around it`() throws {
    let outer = CommitContext(user: "ann", request: "7", fields: ["source": "web", "lang": "de"])
    CommitContext.with(outer) {
      store.commit { $0.count = 1 }
      #expect(context == outer)
      CommitContext.with(CommitContext(request: "8", fields: ["source": "app"])) {
        store.commit(context: CommitContext(traceID: "t", fields: ["a": "b"])) { $0.count = 2 }
        #expect(
          context
            == CommitContext(
              user: "ann",
              request: "8",
              traceID: "t",
              fields: ["source": "app", "lang": "de", "a": "b"]
            )
        )
      }
    }
    store.commit { $0.count = 3 }
    #expect(context == nil)
    #expect(CommitContext.current == nil)
    #expect(throws: Refusal.self) {
      try CommitContext.with(outer) { () throws -> Void in throw Refusal() }
    }
  }

  @Test func `it goes along over suspensions, child tasks and asynchronous actions`() async {
    let ann = CommitContext(user: "ann")
    let store = store
    let dispatcher = LibraryStore.Dispatcher(targetStore: store)
    let action = LibraryStore.Dispatcher.AsyncAction<Void>.action { context in
      await Task.yield()
      context.commit { $0.count += 1 }
    }
    await CommitContext.with(ann) {
      await Task.yield()
      store.commit { $0.count += 1 }
      #expect(store.changes.context == ann)
      store.commit { $0.count = 0 }
      await dispatcher.dispatch { _ in action }
      #expect(store.changes.context == ann)
      async let child: Void = store.commit(context: CommitContext(request: "child")) {
        $0.count += 1
      }
      await child
      #expect(store.changes.context == CommitContext(user: "ann", request: "child"))
      await Task.detached { store.commit { $0.count += 1 } }.value
      #expect(store.changes.context == nil)
    }
  }

  @Test func `a commit that is refused leaves no context behind`() {
    store.commit(context: CommitContext(user: "ann")) { $0.count = 1 }
    #expect(throws: Refusal.self) {
      try store.commit(context: CommitContext(user: "bob")) { state in
        state.count = 2
        throw Refusal()
      }
    }
    #expect(context?.user == "ann")
  }

  @Test func `a mutation with arguments is noted as the call of its commit`() throws {
    let dispatcher = LibraryStore.Dispatcher(targetStore: store)
    let rename = LibraryStore.Dispatcher.Mutation<Void>.mutation(
      "rename",
      arguments: Rename(to: "Ada")
    ) { $0.loggedIn.myInfo.name = "Ada" }
    CommitContext.with(CommitContext(user: "ann")) { dispatcher.accept { _ in rename } }
    let call = try #require(context?.call)
    #expect(context?.user == "ann")
    #expect(call == RecordedCall("rename", arguments: Rename(to: "Ada")))
    #expect(try call.arguments(as: Rename.self) == Rename(to: "Ada"))
    #expect(throws: DecodingError.self) { try call.arguments(as: Int.self) }
    #expect(call != RecordedCall("rename", arguments: Rename(to: "Bob")))
    #expect(call != RecordedCall("rename"))
    #expect(store.changes.traces.first?.name == "rename")
    let plain = LibraryStore.Dispatcher.Mutation<Void>.mutation("plain") { $0.count = 9 }
    dispatcher.accept { _ in plain }
    #expect(context == nil)
  }

  @Test func `a subscriber commits in the context of the commit it was notified of`() {
    let received = Recorder<String?>()
    let store = store
    let subscription = store.sinkState(first: .nextCommit) { changes in
      if changes.value.count == 1 { store.commit { $0.count = 100 } }
      received.record(changes.context?.user)
    }
    // Another thread's commit meets a delivery in another context, and is delivered by the store's queue.
    let started = Latch()
    let slow = store.sinkActivity { _ in
      started.open()
      _ = inBackground { store.commit(context: CommitContext(user: "bob")) { $0.count = 1 } }.wait()
    }
    CommitContext.with(CommitContext(user: "ann")) { store.send(.opened) }
    #expect(started.wait())
    #expect(store.waitForDeliveries())
    #expect(received.elements == ["bob", "bob"])
    withExtendedLifetime((subscription, slow)) {}
  }

  @Test func `an activity is delivered in the context it was sent in`() {
    let store = store
    let subscription = store.sinkActivity { _ in store.commit { $0.count += 1 } }
    CommitContext.with(CommitContext(user: "ann")) { store.send(.opened) }
    #expect(context?.user == "ann")
    store.send(.opened)
    #expect(context == nil)
    withExtendedLifetime(subscription) {}
  }

  @Test func `an assigned value has the context of its change`() {
    let target = LibraryStore()
    let subscription = store.derived(.map(\.count)).assign(to: target.assignee(\.count))
    store.commit(context: CommitContext(user: "ann")) { $0.count = 5 }
    #expect(target.changes.context?.user == "ann")
    #expect(target.state.count == 5)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a hook and a logger see the context`() throws {
    struct Log: StoreLogger {
      let lines: Recorder<CommitLog>
      func didCommit(_ log: CommitLog) { lines.record(log) }
    }
    let lines = Recorder<CommitLog>()
    let store = Store<LibraryState, Never>(
      initialState: LibraryState(),
      logger: Log(lines: lines)
    )
    let ann = CommitContext(user: "ann", call: RecordedCall("rename", arguments: Rename(to: "A")))
    store.commit(context: ann) { $0.count = 1 }
    #expect(lines.elements.first?.traces.first?.context == ann)
    #expect(ann.description == #"user ann, rename(Rename(to: "A"))"#)
  }
}
