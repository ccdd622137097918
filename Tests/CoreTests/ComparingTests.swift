import StrataCore
import TestSupport
import Testing

@Suite struct ComparingTests {
  /// A part without `==`.
  struct Draft: Sendable {
    var text = ""
    var cursor = 0
  }

  struct EditorState: ExtendedStateType {
    var name = ""
    var items: [Int] = []
    var draft = Draft()
    var title: (any Sendable)?

    struct Extended: ExtendedType {
      let total = Field.Computed<Int> { $0.items.reduce(0, +) }.ifChanged(selector: \.items)
    }
  }

  struct Refusal: Error, Equatable {}

  let store = Store<EditorState, Never>(initialState: EditorState())
  var changes: Changes<EditorState> { store.changes }

  @Test func `hasChanges compares with a comparison of one's own`() {
    store.commit { $0.draft.cursor = 1 }
    #expect(!changes.hasChanges(\.draft, by: { $0.text == $1.text }))
    #expect(changes.hasChanges(\.draft, by: { $0.cursor == $1.cursor }))
  }

  @Test func `hasChanges compares what a closure makes`() {
    store.commit { $0.items = [1, -1] }
    #expect(changes.hasChanges { $0.items.count })
    #expect(!changes.hasChanges { $0.items.reduce(0, +) })
    #expect(!changes.hasChanges(\.computed.total))
    #expect(changes.hasChanges({ ($0.items.count, $0.computed.total) }, by: ==))
    #expect(!changes.hasChanges({ ($0.name, $0.computed.total) }, by: ==))
  }

  @Test func `ifChanged compares with a comparison of one's own`() {
    store.commit { $0.draft = Draft(text: "a", cursor: 1) }
    #expect(changes.ifChanged(\.draft, by: { $0.text == $1.text }) { $0.text } == "a")
    store.commit { $0.draft.cursor = 2 }
    #expect(changes.ifChanged(\.draft, by: { $0.text == $1.text }) { $0.text } == nil)
  }

  @Test func `ifChanged calls with what a closure makes`() {
    store.commit { $0.items = [1, 2] }
    #expect(changes.ifChanged({ $0.items.count }) { $0 * 10 } == 20)
    store.commit { $0.items = [2, 1] }
    #expect(changes.ifChanged({ $0.items.count }) { $0 * 10 } == nil)
  }

  @Test func `ifChanged takes a stored and a computed property in one call`() {
    store.commit { state in
      state.name = "a"
      state.items = [1, 2]
    }
    #expect(changes.ifChanged(\.name, \.computed.total) { "\($0) \($1)" } == "a 3")
    #expect(changes.ifChanged(\.computed.total) { $0 } == 3)
    let tuple = changes.ifChanged({ ($0.name, $0.computed.total) }, by: ==) { name, total in
      "\(name) \(total)"
    }
    #expect(tuple == "a 3")
    store.commit { $0.items = [2, 1] }
    #expect(changes.ifChanged(\.name, \.computed.total) { "\($0) \($1)" } == nil)
    #expect(changes.ifChanged({ ($0.name, $0.computed.total) }, by: ==) { _, _ in 1 } == nil)
    #expect(changes.ifChanged(\.items, \.computed.total) { "\($0) \($1)" } == "[2, 1] 3")
  }

  @Test func `ifChanged takes up to five parts of either kind`() {
    store.commit { $0.items = [4] }
    let three = changes.ifChanged(\.name, { $0.name.isEmpty }, \.computed.total) { $2 }
    let four = changes.ifChanged(\.name, \.name, \.name, \.computed.total) { $3 }
    let five = changes.ifChanged(\.name, \.name, \.name, \.name, \.computed.total) { $4 }
    #expect([three, four, five] == [4, 4, 4])
    store.commit { $0.draft.cursor = 1 }
    #expect(changes.ifChanged(\.name, \.items, \.computed.total) { _, _, _ in 1 } == nil)
    #expect(
      changes.ifChanged(\.name, \.name, \.items, \.computed.total) { _, _, _, _ in 1 } == nil
    )
    #expect(
      changes.ifChanged(\.name, \.name, \.name, \.items, \.computed.total) { _, _, _, _, _ in 1 }
        == nil
    )
  }

  @Test func `without a version before everything composed counts as changed`() {
    #expect(changes.hasChanges { $0.name })
    #expect(changes.ifChanged({ $0.name }, by: { _, _ in true }) { $0 } == "")
    #expect(changes.takeIfChanged({ $0.name }, by: { _, _ in true }) == "")
  }

  @Test func `takeIfChanged compares with a comparison of one's own`() {
    store.commit { $0.name = "a" }
    let first = changes.takeIfChanged({ ($0.name, $0.items) }, by: ==)
    #expect(first?.0 == "a")
    store.commit { $0.draft.cursor = 1 }
    #expect(changes.takeIfChanged({ ($0.name, $0.items) }, by: ==) == nil)
  }

  @Test func `ifChanged of what a closure makes rethrows`() {
    #expect(throws: Refusal()) {
      try changes.ifChanged({ $0.name }) { _ throws(Refusal) in throw Refusal() }
    }
    #expect(throws: Refusal()) {
      try changes.ifChanged(\.name, \.computed.total) { _, _ throws(Refusal) in throw Refusal() }
    }
  }
}

@Suite struct MadeChangesTests {
  /// A view as an app has one, without a store.
  final class Screen {
    var drawn: [String] = []

    func update(changes: Changes<ComputedState>) {
      changes.ifChanged(\.name) { drawn.append($0) }
      changes.computed.ifChanged(\.sum) { drawn.append("\($0)") }
    }
  }

  let before = ComputedState()
  let screen = Screen()

  @Test func `changes made in a test compare old and new`() {
    var after = before
    after.name = "Ada"
    screen.update(changes: Changes(old: before, new: after))
    #expect(screen.drawn == ["Ada"])
    after.items = [400]
    screen.update(changes: Changes(old: before, new: after))
    #expect(screen.drawn == ["Ada", "Ada", "400"])
  }

  @Test func `changes made without an old value are those of a first delivery`() {
    let changes = Changes(old: nil, new: before)
    #expect(changes.previous == nil)
    screen.update(changes: changes)
    #expect(screen.drawn == ["", "0"])
  }

  @Test func `changes made in a test have the version and traces that are given`() {
    let trace = CommitTrace(name: "add", fileID: "M/F.swift", function: "f()", line: 1)
    let changes = Changes(old: before, new: before, version: 7, traces: [trace])
    #expect(changes.version == 7)
    #expect(changes.traces == [trace])
    #expect(Changes(old: 1, new: 2).version == 1)
    #expect(Changes(old: 1, new: 2).hasChanges)
  }

  @Test func `changes made in a test remember what is computed`() {
    var after = before
    after.items = [400]
    let changes = Changes(old: before, new: after)
    for _ in 0..<3 { #expect(changes.computed.filteredArray == [400]) }
    #expect(after.work.computed.count == 1)
  }
}
