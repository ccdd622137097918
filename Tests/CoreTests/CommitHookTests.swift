import StrataCore
import TestSupport
import Testing

/// Records the calls it gets, and refuses edits on request.
final class RecordingHook: CommitHook {
  struct Refusal: Error, Equatable, CustomStringConvertible {
    var description: String { "the shelf is full" }
  }

  let name: String
  let calls: Recorder<String>
  let refuses: @Sendable (LibraryState) -> Bool
  let didBegin: @Sendable () -> Void
  let key = CommitAttachmentKey<String>()

  init(
    _ name: String,
    calls: Recorder<String> = Recorder(),
    refuses: @escaping @Sendable (LibraryState) -> Bool = { _ in false },
    didBegin: @escaping @Sendable () -> Void = {}
  ) {
    self.name = name
    self.calls = calls
    self.refuses = refuses
    self.didBegin = didBegin
  }

  func didInstall(in state: inout LibraryState) { calls.record("\(name) installed") }

  func commitWillBegin() {
    calls.record("\(name) will begin")
    didBegin()
  }

  func editDidEnd(_ edit: inout Edit<LibraryState>) throws {
    calls.record("\(name) did end \(edit.previous.count) \(edit.state.count)")
    if refuses(edit.state) { throw Refusal() }
    edit.attachments[key] = "\(name) \(edit.version)"
  }

  func commitDidHappen(_ edit: Edit<LibraryState>) {
    calls.record("\(name) did happen \(edit.version)")
  }
}

@Suite struct CommitHookTests {
  typealias Refusal = RecordingHook.Refusal

  let store = LibraryStore()
  let calls = Recorder<String>()

  func install(_ hook: RecordingHook) {
    store.hook(where: { $0 === hook }, orInstall: { hook })
  }

  @Test func `hooks are called in the order of their installation, one stage after another`() {
    install(RecordingHook("a", calls: calls))
    install(RecordingHook("b", calls: calls))
    store.commit { [calls] state in
      calls.record("edit")
      state.count = 1
    }
    #expect(
      calls.elements == [
        "a installed", "b installed", "a will begin", "b will begin", "edit", "a did end 0 1",
        "b did end 0 1", "a did happen 1", "b did happen 1",
      ]
    )
  }

  @Test func `the value is published after the last hook`() {
    let seen = Recorder<Int>()
    let store = store
    install(
      RecordingHook(
        "a",
        refuses: { [unowned store] _ in
          seen.record(store.state.count)
          return false
        }
      )
    )
    store.commit { $0.count = 1 }
    #expect(seen.elements == [0])
  }

  @Test func `a hook that is wanted again is not installed twice`() {
    let hook = RecordingHook("a")
    install(hook)
    let found = store.hook(where: { $0.name == "a" }, orInstall: { RecordingHook("a") })
    #expect(found === hook)
  }

  @Test func `installing a hook makes no version`() {
    install(RecordingHook("a"))
    #expect(store.changes.version == 0)
  }

  @Test func `what a hook does to the state when it is installed is in the state`() {
    final class Marking: CommitHook {
      func didInstall(in state: inout LibraryState) { state.count = 9 }
    }
    store.hook(where: { (_: Marking) in true }, orInstall: { Marking() })
    #expect(store.state.count == 9)
  }

  @Test func `a hook may change the edit`() {
    final class Doubling: CommitHook {
      func editDidEnd(_ edit: inout Edit<LibraryState>) { edit.state.count *= 2 }
    }
    store.hook(where: { (_: Doubling) in true }, orInstall: { Doubling() })
    store.commit { $0.count = 4 }
    #expect(store.state.count == 8)
  }

  @Test func `a refusal by a hook is thrown by the commit`() {
    install(RecordingHook("a", refuses: { $0.count > 0 }))
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 1 } }
  }

  @Test func `a refused commit has not happened`() {
    install(RecordingHook("a", refuses: { $0.count > 0 }))
    let before = store.state
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 1 } }
    #expect(store.state == before)
    #expect(store.changes.version == 0)
  }

  @Test func `a refused commit reaches no subscriber`() {
    install(RecordingHook("a", refuses: { $0.count > 0 }))
    let counts = Recorder<Int>()
    let subscription = store.sinkState { counts.record($0.count) }
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 1 } }
    #expect(counts.elements == [0])
    subscription.cancel()
  }

  @Test func `a refusal by a later hook keeps the earlier from hearing that it happened`() {
    install(RecordingHook("a", calls: calls))
    install(RecordingHook("b", calls: calls, refuses: { _ in true }))
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 1 } }
    #expect(calls.elements.suffix(2) == ["a did end 0 1", "b did end 0 1"])
  }

  @Test func `a commit after a refusal has the refused version`() {
    install(RecordingHook("a", refuses: { $0.count == 1 }))
    #expect(throws: Refusal()) { try store.commit { state throws in state.count = 1 } }
    store.commit { $0.count = 2 }
    #expect(store.changes.version == 1)
  }

  @Test func `an edit that throws does not reach the hooks`() {
    install(RecordingHook("a", calls: calls))
    #expect(throws: Refusal()) { try store.commit { _ in throw Refusal() } }
    #expect(calls.elements == ["a installed", "a will begin"])
  }

  @Test func `attachments reach the subscribers of their commit`() {
    let hook = RecordingHook("a")
    install(hook)
    let attached = Recorder<String?>()
    let subscription = store.sinkState { attached.record($0.attachments[hook.key]) }
    store.commit { $0.count = 1 }
    store.commit { $0.count = 2 }
    #expect(attached.elements == [nil, "a 1", "a 2"])
    subscription.cancel()
  }

  @Test func `attachments reach the subscribers of a part`() {
    let hook = RecordingHook("a")
    install(hook)
    let attached = Recorder<String?>()
    let part = store.detached(from: \.loggedIn.myInfo)
    let subscription = part.sinkState(first: .nextCommit) {
      attached.record($0.attachments[hook.key])
    }
    store.commit { $0.count = 1 }
    #expect(attached.elements == ["a 1"])
    subscription.cancel()
  }

  @Test func `two hooks attach under keys of their own`() {
    let hooks = [RecordingHook("a"), RecordingHook("b")]
    hooks.forEach(install)
    store.commit { $0.count = 1 }
    #expect(hooks.map { store.changes.attachments[$0.key] } == ["a 1", "b 1"])
  }

  @Test func `a key that is gone passes its attachment to no later key`() {
    final class Forgetful: CommitHook {
      func editDidEnd(_ edit: inout Edit<LibraryState>) {
        edit.attachments[CommitAttachmentKey<Int>()] = 1
      }
    }
    store.hook(where: { (_: Forgetful) in true }, orInstall: { Forgetful() })
    store.commit { $0.count = 1 }
    let keys = (0..<1_000).map { _ in CommitAttachmentKey<Int>() }
    #expect(keys.compactMap { store.changes.attachments[$0] } == [])
  }

  @Test func `a hook is not missed by a commit that had begun to wait when it was installed`() {
    let waiting = Latch()
    let goOn = Latch()
    install(
      RecordingHook(
        "a",
        didBegin: {
          waiting.open()
          #expect(goOn.wait())
        }
      )
    )
    let store = store
    let committing = inBackground { store.commit { $0.count = 1 } }
    #expect(waiting.wait())
    install(RecordingHook("b", calls: calls))
    goOn.open()
    #expect(committing.wait())
    #expect(calls.elements == ["b installed", "b did end 0 1", "b did happen 1"])
  }
}
