import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct PreviewTests {
  /// Records what it sees, as a hook that keeps commits, or one that computes for subscribers.
  private final class Noting: CommitHook {
    let followsPreviews: Bool
    let seen = Recorder<[Int]>()
    let begun = Recorder<Void>()
    let refuses: @Sendable (Int) -> Bool

    let notified: @Sendable () -> Void

    init(
      follows: Bool,
      refuses: @escaping @Sendable (Int) -> Bool = { _ in false },
      notified: @escaping @Sendable () -> Void = {}
    ) {
      followsPreviews = follows
      self.refuses = refuses
      self.notified = notified
    }

    func commitWillBegin() { begun.record(()) }

    func editDidEnd(_ edit: inout Edit<LibraryState>) throws {
      if refuses(edit.state.count) { throw Refused() }
    }

    func commitDidHappen(_ edit: Edit<LibraryState>) {
      seen.record([edit.previous.count, edit.state.count])
      notified()
    }
  }

  private struct Refused: Error {}

  private let trace = CommitTrace(name: "test", fileID: #fileID, function: #function, line: #line)

  private func state(_ count: Int) -> LibraryState {
    var state = LibraryState()
    state.count = count
    return state
  }

  private func store(_ hooks: Noting...) -> LibraryStore {
    let store = LibraryStore()
    for hook in hooks { store.hook(where: { $0 === hook }, orInstall: { hook }) }
    store.commit { $0.count = 1 }
    return store
  }

  @Test func `only hooks that follow see what is shown, and commits made meanwhile`() throws {
    let (keeping, following) = (Noting(follows: false), Noting(follows: true))
    let store = store(keeping, following)

    let preview = Preview(of: store)
    try preview.show(state(5), trace)
    store.commit { $0.count = 6 }

    #expect(store.state.count == 6)
    #expect(keeping.seen.elements == [[0, 1]])
    #expect(following.seen.elements == [[0, 1], [1, 5], [5, 6]])
    try preview.discard(trace)
  }

  @Test func `discarding shows what was there before, and the next commit follows that`() throws {
    let (keeping, following) = (Noting(follows: false), Noting(follows: true))
    let store = store(keeping, following)
    let preview = Preview(of: store)
    try preview.show(state(5), trace)

    try preview.discard(trace)
    store.commit { $0.count += 1 }

    #expect(keeping.seen.elements == [[0, 1], [1, 2]])
    #expect(following.seen.elements == [[0, 1], [1, 5], [5, 1], [1, 2]])
  }

  @Test func `a hook may wait before each state that it is shown`() throws {
    let (keeping, following) = (Noting(follows: false), Noting(follows: true))
    let store = store(keeping, following)
    let preview = Preview(of: store)

    try preview.show(state(5), trace)
    #expect(following.begun.elements.count == 2)
    try preview.discard(trace)

    #expect(following.begun.elements.count == 3)
    #expect(keeping.begun.elements.count == 1)
  }

  @Test func `keeping is one commit from what was there before to what is shown`() throws {
    let (keeping, following) = (Noting(follows: false), Noting(follows: true))
    let store = store(keeping, following)
    let preview = Preview(of: store)
    try preview.show(state(5), trace)
    try preview.show(state(7), trace)

    try preview.keep(trace)
    store.commit { $0.count += 1 }

    #expect(keeping.seen.elements == [[0, 1], [1, 7], [7, 8]])
    #expect(following.seen.elements == [[0, 1], [1, 5], [5, 7], [1, 7], [7, 8]])
  }

  @Test func `a preview that cannot be kept goes on`() throws {
    let keeping = Noting(follows: false, refuses: { $0 == 5 })
    let store = store(keeping)
    let preview = Preview(of: store)
    try preview.show(state(5), trace)

    #expect(throws: Refused.self) { try preview.keep(trace) }
    #expect(store.state.count == 5)
    store.commit { $0.count = 6 }
    #expect(keeping.seen.elements == [[0, 1]])
    try preview.keep(trace)
    #expect(keeping.seen.elements == [[0, 1], [1, 6]])
  }

  @Test func `a state refused by a hook that follows is not shown`() throws {
    let following = Noting(follows: true, refuses: { $0 == 5 })
    let store = store(following)
    let preview = Preview(of: store)
    let version = store.changes.version

    #expect(throws: Refused.self) { try preview.show(state(5), trace) }

    #expect(store.changes.version == version)
    #expect(store.state.count == 1)
    try preview.discard(trace)
  }

  @Test func `nothing shown makes no version, whichever way it ends`() throws {
    let keeping = Noting(follows: false)
    let store = store(keeping)
    let version = store.changes.version

    try Preview(of: store).discard(trace)
    try Preview(of: store).keep(trace)

    #expect(store.changes.version == version)
    store.commit { $0.count = 2 }
    #expect(keeping.seen.elements == [[0, 1], [1, 2]])
  }

  @Test func `subscribers are notified on request, of every version in order`() throws {
    let store = store()
    let seen = Recorder<Int>()
    let subscription = store.sinkState { seen.record($0.value.count) }
    let preview = Preview(of: store)

    try preview.show(state(5), trace)
    try preview.show(state(6), trace)
    #expect(seen.elements == [1])
    preview.notify()
    try preview.discard(trace)
    preview.notify()

    #expect(seen.elements == [1, 5, 6, 1])
    subscription.cancel()
  }

  @Test func `a hook installed meanwhile stays, the suspended ones come back before it`() throws {
    let order = Recorder<String>()
    let first = Noting(follows: false, notified: { order.record("first") })
    let later = Noting(follows: false, notified: { order.record("later") })
    let store = store(first)
    let preview = Preview(of: store)
    store.hook(where: { $0 === later }, orInstall: { later })
    try preview.discard(trace)

    store.commit { $0.count = 3 }

    #expect(first.seen.elements == [[0, 1], [1, 3]])
    #expect(later.seen.elements == [[1, 3]])
    #expect(order.elements == ["first", "first", "later"])
  }

  @Test func `a preview that is dropped is discarded`() throws {
    let keeping = Noting(follows: false)
    let store = store(keeping)
    let seen = Recorder<Int>()
    let subscription = store.sinkState { seen.record($0.value.count) }
    do {
      let preview = Preview(of: store)
      try preview.show(state(5), trace)
    }

    #expect(seen.elements == [1, 5, 1])
    store.commit { $0.count = 2 }
    #expect(keeping.seen.elements == [[0, 1], [1, 2]])
    subscription.cancel()
  }
}
