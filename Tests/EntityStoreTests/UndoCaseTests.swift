import StrataBase
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Undo beside middleware, rules, other dispatchers and their stacks.
@Suite struct UndoCaseTests {
  typealias Stack = UndoStack<NodeState, Never, NodeDatabase>

  let store = NodeStore(initialState: NodeState())
  let me: NodeStore.Dispatcher
  let other: NodeStore.Dispatcher
  let undo: Stack
  let othersUndo: Stack

  init() {
    me = NodeStore.Dispatcher(targetStore: store)
    other = NodeStore.Dispatcher(targetStore: store)
    undo = Stack(of: me, database: \.db)
    othersUndo = Stack(of: other, database: \.db)
  }

  private func folder(_ id: Node.ID, _ name: Int = 0) -> Node { Node(id: id, name: name) }

  @Test func `a stamp by middleware is neither restored nor checked`() throws {
    store.add(middleware: NodeStore.stamps)
    for name in 1...3 { me.commit { $0.db.folders.insert(folder(1, name)) } }
    #expect(try undo.undo() && undo.undo())
    #expect(store.state.db.folders[1]?.name == 1)
    #expect(store.state.db.folders[1]?.stamp == Int(store.changes.version))
    #expect(store.state.db.counters[0]?.name == Int(store.changes.version))
    #expect(try undo.redo() && undo.redo())
    #expect(store.state.db.folders[1]?.name == 3)
    other.commit { $0.db.folders.insert(folder(2)) }
    #expect(try undo.undo())
  }

  @Test func `middleware can be removed`() {
    let (others, seen) = (Counter(), Counter())
    let first = ModifyingMiddleware<NodeState> { _ in seen.add() }
    store.add(middleware: first)
    store.add(middleware: .modify { _ in others.add() })
    me.commit { $0.db.folders.insert(folder(1)) }
    #expect(store.remove(middleware: first))
    #expect(!store.remove(middleware: first))
    me.commit { $0.db.folders.insert(folder(2)) }
    #expect(seen.count == 1)
    #expect(others.count == 2)
  }

  @Test func `the undo of an insert takes nothing along that another has added since`() throws {
    me.commit("new folder") { $0.db.folders.insert(folder(1)) }
    other.commit { $0.db.notes.insert(Node(id: 7, parent: 1)) }
    let before = store.state.db
    let refusal = UndoError.changedSince("new folder", entities: ["notes 7"])
    #expect(throws: refusal) { try undo.undo() }
    #expect(store.state.db == before)
    #expect(try undo.undo(.overwrite))
    #expect(store.state.db.notes.isEmpty)
    #expect(try undo.redo())
    #expect(store.state.db == before)
    // The step has taken the note in.
    #expect(try undo.undo())
    #expect(store.state.db == NodeDatabase())
  }

  @Test func `the undo of an insert sets no field of another to nil, nor does a redo of a removal`()
    throws
  {
    me.commit("new folder") { $0.db.folders.insert(folder(1)) }
    other.commit { $0.db.notes.insert(Node(id: 7, pin: 1)) }
    #expect(throws: UndoError.changedSince("new folder", entities: ["notes 7"])) { try undo.undo() }
    #expect(try othersUndo.undo())
    me.commit("remove folder") { $0.db.folders.remove(1) }
    #expect(try undo.undo())
    other.commit { $0.db.notes.insert(Node(id: 8, tags: [1])) }
    let before = store.state.db
    #expect(throws: UndoError.changedSince("remove folder", entities: ["notes 8"])) {
      try undo.redo()
    }
    #expect(try undo.redo(.overwrite))
    #expect(store.state.db.notes[8]?.tags == [])
    #expect(try undo.undo())
    #expect(store.state.db == before)
  }

  @Test func `what a redo found as it would be is so after the undo by the other stack, too`()
    throws
  {
    me.commit { $0.db.folders.insert(folder(1)) }
    commitTogether { database in
      database.folders.remove(1)
      database.notes.insert(folder(2))
    }
    #expect(try othersUndo.undo())
    // A third one removes the folder, which the redo would remove.
    store.commit { $0.db.folders.remove(1) }
    let before = store.state.db
    #expect(throws: UndoError.self) { try undo.redo() }
    #expect(try undo.redo(.overwrite))
    #expect(store.state.db.notes[2] != nil)
    #expect(try othersUndo.undo())
    #expect(store.state.db == before)
  }

  /// A commit of both dispatchers.
  private func commitTogether(_ edit: (inout NodeDatabase) -> Void) {
    store.commit(
      CommitTrace(name: "both", fileID: #fileID, function: #function, line: #line),
      by: ObjectIdentifier(me),
      and: [ObjectIdentifier(other)],
      scope: \NodeState.db
    ) { (database: inout NodeDatabase, _: inout CommitAttachments) in edit(&database) }
  }

  @Test func `common commits of one name are undone by themselves`() throws {
    let typing = Stack(of: me, database: \.db, grouping: .sameName(within: .seconds(1_000_000)))
    for name in 1...2 { commitTogether { $0.folders.insert(folder(1, name)) } }
    #expect(try typing.undo())
    #expect(store.state.db.folders[1]?.name == 1)
    #expect(othersUndo.canUndo)
  }

  @Test func `a group keeps what the undo of a common commit by the other has left of it`() throws {
    undo.group {
      commitTogether { $0.folders.insert(folder(1)) }
      me.commit { $0.db.folders.insert(folder(2)) }
    }
    #expect(try othersUndo.undo() && othersUndo.redo())
    #expect(try undo.undo())
    #expect(store.state.db.folders.map(\.id) == [1])
  }

  @Test func `a commit of two dispatchers leaves both stacks with one undo`() throws {
    let folders = NodeStore.TableDispatcher<Node>(targetStore: store, table: \.db.folders)
    let notes = NodeStore.TableDispatcher<Node>(targetStore: store, table: \.db.notes)
    let ofFolders = Stack(of: folders, database: \.db)
    let ofNotes = Stack(of: notes, database: \.db)
    try notes.insert(folder(5))
    folders.commit(with: notes, "both") { folders, notes in
      folders.insert(folder(1))
      notes.insert(folder(2))
    }
    #expect(try ofFolders.undo())
    #expect(ofNotes.redoName == "both")
    #expect(ofNotes.undoName == "insert")
    #expect(try ofNotes.undo())
    #expect(store.state.db == NodeDatabase())
    #expect(try ofNotes.redo() && ofNotes.redo())
    #expect(ofFolders.undoName == "both")
    #expect(store.state.db.notes.count == 2)
    #expect(try ofNotes.undo())
    #expect(!ofFolders.canUndo)
    #expect(store.state.db.folders.isEmpty)
  }

  @Test func `what the rules changed in another's undo of a common commit is changed since`() throws
  {
    func commit(_ body: (inout NodeDatabase) -> Void) throws {
      let trace = CommitTrace(name: "both", fileID: #fileID, function: #function, line: #line)
      let makers = [ObjectIdentifier(me), ObjectIdentifier(other)]
      try store.commit(trace, by: makers[0], and: [makers[1]], scope: \NodeState.db) {
        (database: inout NodeDatabase, _: inout CommitAttachments) throws in body(&database)
      }
    }
    try commit { $0.notes.insert(Node(id: 2, name: 1, tags: [1])) }
    try commit {
      $0.folders.insert(folder(1))
      $0.notes.insert(Node(id: 2, name: 2))
    }
    let (after, refusal) = (store.state.db, UndoError.changedSince("both", entities: ["notes 2"]))
    #expect(throws: refusal) { try undo.undo() }
    #expect(try undo.undo(.overwrite))
    let ruled = store.state.db
    #expect(ruled.notes[2] == Node(id: 2, name: 1))
    // It was not the other who lets the rules change the note.
    #expect(throws: refusal) { try othersUndo.undo() }
    #expect(store.state.db == ruled)
    #expect(try othersUndo.redo())
    #expect(store.state.db == after)
    #expect(try othersUndo.undo())
    #expect(store.state.db == ruled)
    #expect(throws: refusal) { try othersUndo.undo() }
    #expect(try othersUndo.undo(.overwrite))
    #expect(store.state.db == NodeDatabase())
    #expect(try undo.redo())
    #expect(store.state.db == ruled)
  }

  @Test func `what another has undone has not changed since`() throws {
    me.commit { $0.db.folders.insert(folder(1, 1)) }
    other.commit { $0.db.folders.insert(folder(1, 2)) }
    #expect(throws: UndoError.self) { try undo.undo() }
    #expect(try othersUndo.undo())
    #expect(try undo.undo() && undo.redo())
    // And what was undone and redone here is as it was for the other.
    #expect(try othersUndo.redo())
    #expect(store.state.db.folders[1]?.name == 2)
  }

  @Test func `commits without a name are undone by themselves`() throws {
    let stack = Stack(of: me, database: \.db, grouping: .sameName(within: .seconds(1_000)))
    for name in 1...2 { me.commit { $0.db.folders.insert(folder(1, name)) } }
    for name in 3...4 { me.commit("type") { $0.db.folders.insert(folder(1, name)) } }
    #expect(try stack.undo())
    #expect(store.state.db.folders[1]?.name == 2)
    #expect(try stack.undo())
    #expect(store.state.db.folders[1]?.name == 1)
  }

  @Test func `an entity that is not equal to itself can be undone`() throws {
    let store = LabelStore()
    let me = LabelStore.Dispatcher(targetStore: store)
    let undo = UndoStack(of: me, database: \.db)
    me.commit { $0.db.readings.insert(Reading(id: 1, value: .nan)) }
    me.commit { $0.db.labels.insert(Label(id: "a", text: "one")) }
    me.commit { $0.db.labels.insert(Label(id: "a", text: "two")) }
    store.commit { $0.count += 1 }
    #expect(try undo.undo())
    #expect(store.state.db.labels["a"]?.text == "one")
    #expect(try undo.undo() && undo.undo())
    #expect(store.state.db.readings.isEmpty)
    #expect(try undo.redo() && undo.redo())
    // Equal by its `==`, and yet changed by another.
    store.commit { $0.db.labels.insert(Label(id: "a", text: "by the store")) }
    #expect(throws: UndoError.changedSince("", entities: ["labels a"])) { try undo.undo() }
  }

  @Test func `an undo inside a group is refused, and a group may suspend`() async throws {
    me.commit { $0.db.folders.insert(folder(1)) }
    await undo.group("later") {
      me.commit { $0.db.folders.insert(folder(2)) }
      await Task.yield()
      #expect(throws: UndoError.insideGroup) { try undo.undo() }
      #expect(throws: UndoError.insideGroup) { try undo.redo(.overwrite) }
      me.commit { $0.db.folders.insert(folder(3)) }
    }
    #expect(undo.undoName == "later")
    #expect(try undo.undo())
    #expect(store.state.db.folders.ids.map(\.raw) == [1])
  }

  @Test func `a group holds what its commits have changed, however many they are`() throws {
    try undo.group("many") {
      for number in 0..<500 {
        try me.commit { state throws in
          state.db.folders.insert(folder(EntityID(number), number))
          if number > 10 { state.db.folders.remove(EntityID(number - 10)) }
          try state.db.folders.updateIfExists(0) { $0.name = number }
        }
      }
    }
    let after = store.state.db.nodes
    #expect(try undo.undo())
    #expect(store.state.db.folders.isEmpty)
    #expect(try undo.redo())
    #expect(store.state.db.nodes == after)
    #expect(try undo.undo())
    #expect(try undo.undo() == false)
  }

  @Test
  func `another's change of one entity of a group starts a step only where that is written again`()
    throws
  {
    undo.group("two") {
      me.commit { $0.db.folders.insert(folder(1, 1)) }
      other.commit { $0.db.folders.insert(folder(1, 2)) }
      me.commit { $0.db.folders.insert(folder(2)) }
    }
    #expect(throws: UndoError.changedSince("two", entities: ["folders 1"])) { try undo.undo() }
    #expect(try othersUndo.undo())
    #expect(try undo.undo())
    #expect(store.state.db == NodeDatabase())
  }

  @Test func `stacks that are gone leave nothing in the store`() {
    let hook = store.hook(where: { (_: UndoHook<NodeState, Never, NodeDatabase>) in true }) {
      fatalError("The stacks of a store have a hook.")
    }
    #expect(hook.stackCount == 2)
    weak var gone: Stack?
    for _ in 0..<100 {
      let stack = Stack(of: me, database: \.db)
      me.commit { $0.db.folders.insert(folder(1)) }
      gone = stack
    }
    #expect(gone == nil)
    #expect(hook.stackCount == 2)
  }
}
