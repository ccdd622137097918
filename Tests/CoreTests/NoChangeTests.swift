import StrataCore
import TestSupport
import Testing

/// The rule on commits that change nothing, as `commit` states it.
@Suite struct NoChangeTests {
  /// A value with padding between its fields.
  struct Padded: StateType, Equatable {
    struct Part: Equatable, Sendable {
      var flag: Bool
      var number: Int
    }

    var first = true
    var number = 1
    var part: Part?
    var second = false
    var names: [String] = []
  }

  let store = LibraryStore()

  @Test func `a commit that does nothing makes no version`() {
    store.commit { _ in }
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that does nothing returns its result`() {
    #expect(store.commit { $0.count + 7 } == 7)
  }

  @Test func `a commit that sets a number to what it is makes no version`() {
    store.commit { $0.count = 3 }
    store.commit { $0.count = 3 }
    #expect(store.changes.version == 1)
  }

  @Test func `a commit that changes something and changes it back makes no version`() {
    store.commit {
      $0.count += 1
      $0.loggedIn.visits += 1
      $0.count -= 1
      $0.loggedIn.visits -= 1
    }
    #expect(store.changes.version == 0)
  }

  @Test func `a scoped commit that does nothing makes no version`() {
    store.commit(scope: \.loggedIn.myInfo) { _ in }
    store.detached(from: \.search).commit { $0?.text = "Lem" }
    #expect(store.changes.version == 0)
  }

  @Test func `a commit that assigns equal text of other storage makes a version`() {
    store.commit { $0.loggedIn.myInfo.name = String(repeating: "Ada", count: 100) }
    store.commit { $0.loggedIn.myInfo.name = String(repeating: "Ada", count: 100) }
    #expect(store.changes.version == 2)
  }

  @Test func `a commit that edits an element of a collection makes a version`() {
    let store = Store<Padded, Never>(initialState: Padded(names: ["a", "b"]))
    store.commit { $0.names[1] = "c" }
    store.commit { $0.names.append("d") }
    #expect(store.changes.version == 2)
    #expect(store.state.names == ["a", "c", "d"])
  }

  @Test func `every one of a thousand small edits of a collection makes a version`() {
    let store = Store<Padded, Never>(initialState: Padded(names: ["a"]))
    for number in 0..<1_000 { store.commit { $0.names[0] = "\(number)" } }
    #expect(store.changes.version == 1_000)
  }

  @Test func `bytes that belong to no field do not count`() {
    let store = Store<Padded, Never>(initialState: Padded())
    for number in 1...1_000 {
      store.commit { $0.part = Padded.Part(flag: true, number: number) }
      store.commit { _ in }
      store.commit { $0.number = 1 }
      store.commit { $0.first = true }
    }
    #expect(store.changes.version == 1_000)
  }

  @Test func `a commit that changes nothing reaches no subscriber`() {
    let versions = Recorder<UInt64>()
    let subscription = store.sinkState { versions.record($0.version) }
    store.commit { _ in }
    store.commit { $0.count = 0 }
    #expect(versions.elements == [0])
    subscription.cancel()
  }

  @Test func `a commit that changes nothing reaches no middleware and no hook but its beginning`() {
    let calls = Recorder<String>()
    store.add(middleware: .modify { _ in calls.record("middleware") })
    let hook = RecordingHook("a", calls: calls)
    store.hook(where: { $0 === hook }, orInstall: { hook })
    store.commit { _ in }
    #expect(calls.elements == ["a installed", "a will begin"])
  }

  @Test func `what is asked of changes is about the last commit that changed something`() {
    store.commit { $0.count = 1 }
    store.commit { _ in }
    #expect(store.changes.hasChanges(\.count))
  }

  @Test func `a state without stored properties never changes`() {
    struct Nothing: StateType {}
    let store = Store<Nothing, Never>(initialState: Nothing())
    store.commit { $0 = Nothing() }
    #expect(store.changes.version == 0)
  }
}
