import StrataCore
import TestSupport
import Testing

@Suite struct MiddlewareTests {
  struct Refusal: Error, Equatable {}

  /// Limits the count to ten.
  struct Ceiling: StoreMiddleware {
    func modify(_ edit: inout Edit<LibraryState>) { edit.state.count = min(edit.state.count, 10) }
  }

  let store = LibraryStore()

  @Test func `middleware edits within the same version`() {
    store.add(middleware: .modify { $0.state.loggedIn.visits = $0.state.count })
    store.commit { $0.count = 4 }
    #expect(store.changes.version == 1)
    #expect(store.state.loggedIn.visits == 4)
  }

  @Test func `middleware may be a type of its own`() {
    store.add(middleware: Ceiling())
    store.commit { $0.count = 40 }
    #expect(store.state.count == 10)
  }

  @Test func `middleware sees the changes of the edit`() {
    store.add(
      middleware: .modify { edit in
        edit.changes.ifChanged(\.count) { edit.state.loggedIn.visits += $0 }
      }
    )
    store.commit { $0.count = 4 }
    store.commit { $0.loggedOut.attempts = 1 }
    #expect(store.state.loggedIn.visits == 4)
  }

  @Test func `middleware runs in the order in which it was added`() {
    store.add(middleware: .modify { $0.state.count += 1 })
    store.add(middleware: .modify { $0.state.count *= 10 })
    store.commit { $0.count = 1 }
    #expect(store.state.count == 20)
  }

  @Test func `middleware runs after the edit and before every hook`() {
    let calls = Recorder<String>()
    let hook = RecordingHook("hook", calls: calls)
    store.hook(where: { $0 === hook }, orInstall: { hook })
    store.add(
      middleware: .modify { edit in
        calls.record("middleware \(edit.state.count)")
        edit.state.count += 1
      }
    )
    store.commit { $0.count = 1 }
    #expect(
      calls.elements == [
        "hook installed", "hook will begin", "middleware 1", "hook did end 0 2",
        "hook did happen 1",
      ]
    )
  }

  @Test func `subscribers see what middleware wrote, once`() {
    store.add(middleware: Ceiling())
    let counts = Recorder<Int>()
    let subscription = store.sinkState { counts.record($0.count) }
    store.commit { $0.count = 40 }
    #expect(counts.elements == [0, 10])
    subscription.cancel()
  }

  @Test func `middleware may attach values to the commit`() {
    let key = CommitAttachmentKey<String>()
    store.add(middleware: .modify { $0.attachments[key] = "\($0.version)" })
    store.commit { $0.count = 1 }
    #expect(store.changes.attachments[key] == "1")
  }

  @Test func `a commit that middleware refuses has not happened`() {
    store.add(middleware: .modify { if $0.state.count > 10 { throw Refusal() } })
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 11 } }
    #expect(store.state.count == 0)
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that middleware refuses reaches no hook`() {
    let calls = Recorder<String>()
    let hook = RecordingHook("hook", calls: calls)
    store.hook(where: { $0 === hook }, orInstall: { hook })
    store.add(middleware: .modify { _ in throw Refusal() })
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 11 } }
    #expect(calls.elements == ["hook installed", "hook will begin"])
  }

  @Test func `a refusal of a closure that cannot throw traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      store.add(middleware: .modify { _ in throw Refusal() })
      store.commit("shelve") { $0.count = 1 }
    }
    let text = result?.standardErrorContent.text
    #expect(text?.contains("The commit \"shelve\"") == true)
    #expect(text?.contains("call it with `try commit`") == true)
  }

  @Test func `a commit inside middleware traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      store.add(middleware: .modify { _ in store.commit { $0.count += 1 } })
      store.commit { $0.count = 1 }
    }
    #expect(
      result?.standardErrorContent.text.contains("commit was called inside a commit") == true
    )
  }
}
