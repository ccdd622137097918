import StrataBase
import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// Undo and redo of the commits of one dispatcher.
struct UndoTests {
  let store = LibraryStore()
  let editor: Editor
  let undo: UndoStack<LibraryState, LibraryActivity, LibraryDatabase>

  init() {
    editor = Editor(targetStore: store)
    undo = UndoStack(of: editor, database: \.db)
  }

  @Test
  func `any way back and forth through random commits gives the states there`() throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let script = LibraryScript(seed: seed)
    var states = [store.state.db]
    var place = 0
    var number: Int64 = 0
    for _ in 0..<2_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0...1:
        number += 1
        editor.commit { script.commit(number, to: &$0.db) }
        states = Array(states[0...place].suffix(101))
        states.append(store.state.db)
        place = states.count - 1
      case 2...3:
        #expect(undo.canUndo == (place > 0))
        #expect(try undo.undo() == (place > 0), "seed \(seed)")
        place = max(0, place - 1)
      default:
        #expect(undo.canRedo == (place < states.count - 1))
        #expect(try undo.redo() == (place < states.count - 1), "seed \(seed)")
        place = min(states.count - 1, place + 1)
      }
      #expect(store.state.db == states[place], "seed \(seed)")
      if states.count > 101 {
        states.removeFirst(states.count - 101)
        place = min(place, 100)
      }
    }
  }

  @Test
  func `only commits of the dispatcher itself are undone, those of its actions too`() throws {
    editor.put("a", "Ada")
    store.commit { $0.db.authors.insert(Author(id: "b", name: "by the store")) }
    Editor(targetStore: store).put("c", "by another")
    editor.dispatch { $0.putInAction("d", "Dora") }
    store.commit { $0.count = 7 }
    #expect(undo.undoName == "put in action")
    #expect(try undo.undo())
    #expect(store.state.db.authors["d"] == nil)
    #expect(store.changes.traces.first?.name == "undo put in action")
    #expect(try undo.undo())
    #expect(try undo.undo() == false)
    #expect(store.state.db.authors.count == 2)
    #expect(store.state.count == 7)
    #expect(undo.redoName == "put")
    #expect(try undo.redo())
    #expect(store.state.db.authors["a"]?.name == "Ada")
  }

  @Test
  func `what a dispatcher commits together with another one is undone by the stack of either`()
    throws
  {
    let books = LibraryStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    let authors = books.detached(to: \.db.authors)
    let archive = books.detached(to: \.db.archivedBooks)
    let ofBooks = UndoStack(of: books, database: \.db)
    let ofAuthors = UndoStack(of: authors, database: \.db)
    let ofArchive = UndoStack(of: archive, database: \.db)
    books.commit(with: authors, "publish") { books, authors in
      books.insert(Book(id: 1, author: "lem"))
      authors.insert(Author(id: "lem"))
    }
    #expect(ofBooks.undoName == "publish")
    #expect(ofAuthors.undoName == "publish")
    #expect(!ofArchive.canUndo)
    #expect(!undo.canUndo)
    #expect(try ofAuthors.undo())
    #expect(store.state.db == LibraryDatabase())
    #expect(try ofBooks.undo() == false)
    #expect(ofBooks.canRedo)
    #expect(try ofAuthors.redo())
    #expect(try ofBooks.undo())
    #expect(store.state.db == LibraryDatabase())
    books.commit(with: authors, archive, "move") { books, authors, archive in
      books.insert(Book(id: 2))
      archive.insert(Book(id: 3))
    }
    #expect(ofArchive.undoName == "move")
    #expect(ofBooks.undoName == "move")
    #expect(try ofArchive.undo())
    #expect(store.state.db == LibraryDatabase())
  }

  @Test
  func `a further commit forgets what was undone`() throws {
    editor.put("a", "Ada")
    try undo.undo()
    editor.put("b", "Bea")
    #expect(try undo.redo() == false)
    #expect(store.state.db.authors.ids.map(\.raw) == ["b"])
  }

  @Test
  func `what someone else changed since is not overwritten unless told so`() throws {
    editor.put("a", "Ada")
    editor.put("a", "Ada Lovelace")
    store.commit { $0.db.authors.insert(Author(id: "a", name: "by the store")) }
    let error = #expect(throws: UndoError.self) { try undo.undo() }
    #expect(error == .changedSince("put", entities: ["authors a"]))
    #expect(store.state.db.authors["a"]?.name == "by the store")
    #expect(undo.canUndo)
    #expect(try undo.undo(.overwrite))
    #expect(store.state.db.authors["a"]?.name == "Ada")
    #expect(try undo.undo())
    #expect(store.state.db.authors.isEmpty)
  }

  @Test
  func `an undo that removes what is gone already counts as done`() throws {
    editor.put("a", "Ada")
    store.commit { $0.db.authors.remove("a") }
    #expect(throws: UndoError.self) { try undo.undo() }
    #expect(try undo.undo(.overwrite))
    #expect(undo.canUndo == false)
    #expect(undo.canRedo)
  }

  @Test
  func `a group is undone and redone as a whole, whatever it changes`() throws {
    editor.put("a", "Ada")
    let count = undo.group("replace all") {
      editor.put("a", "Ada Lovelace")
      undo.group("inner") { editor.put("b", "Bea") }
      editor.commit { $0.db.authors.remove("a") }
      editor.commit { $0.db.books.insert(Book(id: 1)) }
      return 4
    }
    #expect(count == 4)
    editor.put("c", "Cleo")
    let after = store.state.db
    #expect(try undo.undo())
    #expect(undo.undoName == "replace all")
    #expect(try undo.undo())
    #expect(store.state.db.authors.map(\.name) == ["Ada"])
    #expect(store.state.db.books.isEmpty)
    #expect(store.changes.traces.first?.name == "undo replace all")
    #expect(try undo.redo() && undo.redo())
    #expect(store.state.db == after)
    #expect(try undo.undo() && undo.undo() && undo.undo())
    #expect(try undo.undo() == false)
  }

  @Test
  func `what a group committed before an error is one step, and the next commit another`() throws {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try undo.group { () throws(Stop) in
        editor.put("a", "Ada")
        editor.put("b", "Bea")
        throw Stop()
      }
    }
    editor.put("c", "Cleo")
    #expect(try undo.undo())
    #expect(store.state.db.authors.count == 2)
    #expect(undo.undoName == "put")
    #expect(try undo.undo())
    #expect(store.state.db.authors.isEmpty)
  }

  @Test
  func `a change by another dispatcher between the commits of a group is not overwritten`() throws {
    undo.group("rename") {
      editor.put("a", "Ada")
      store.commit { $0.db.authors.insert(Author(id: "a", name: "by the store")) }
      editor.put("a", "Ada Lovelace")
    }
    #expect(try undo.undo())
    #expect(store.state.db.authors["a"]?.name == "by the store")
    #expect(throws: UndoError.self) { try undo.undo() }
  }

  @Test
  func `commits of one name to one entity within the window are undone together`() throws {
    let start = ContinuousClock.now
    let clock = Lock(start)
    let writer = Editor(targetStore: store)
    let undo = UndoStack(
      of: writer,
      database: \.db,
      grouping: .sameName(within: .seconds(1)) { clock.withLock { $0 } }
    )
    func type(_ id: Author.ID, _ name: String, at second: Double) {
      clock.withLock { $0 = start + .seconds(second) }
      writer.put(id, name)
    }
    for (number, name) in ["A", "Ad", "Ada"].enumerated() {
      type("a", name, at: Double(number) * 0.9)
    }
    type("b", "B", at: 1.9)
    type("b", "Be", at: 2.9)
    type("b", "Bea", at: 4)
    writer.commit("other") { $0.db.authors.insert(Author(id: "b", name: "Beatrix")) }
    var names: [[String]] = []
    while try undo.undo() { names.append(store.state.db.authors.map(\.name).sorted()) }
    #expect(names == [["Ada", "Bea"], ["Ada", "Be"], ["Ada"], []])
    try undo.redo()
    type("a", "Adam", at: 4)
    #expect(try undo.undo())
    #expect(store.state.db.authors["a"]?.name == "Ada")
  }

  @Test
  func `no more is remembered than the limit`() throws {
    let few = UndoStack(of: editor, database: \.db, limit: 3)
    for number in 1...9 { editor.put("a", "\(number)") }
    for _ in 0..<3 { #expect(try few.undo()) }
    #expect(try few.undo() == false)
    #expect(store.state.db.authors["a"]?.name == "6")
  }

  @Test
  func `a stack keeps neither itself nor the store alive through the store`() throws {
    weak var gone: LibraryStore?
    weak var goneStack: UndoStack<LibraryState, LibraryActivity, LibraryDatabase>?
    do {
      let store = LibraryStore()
      let editor = Editor(targetStore: store)
      let undo = UndoStack(of: editor, database: \.db)
      editor.put("a", "Ada")
      try undo.undo()
      (gone, goneStack) = (store, undo)
    }
    #expect(gone == nil)
    #expect(goneStack == nil)
  }

  @Test
  func `during a preview nothing is undone`() throws {
    editor.put("a", "Ada")
    let preview = Preview(of: store)
    #expect(throws: UndoError.previewing) { try undo.undo() }
    try preview.discard(
      CommitTrace(name: "back", fileID: #fileID, function: #function, line: #line)
    )
    #expect(try undo.undo())
  }
}

/// A dispatcher with commits of its own.
final class Editor: LibraryStore.Dispatcher, @unchecked Sendable {
  func put(_ id: Author.ID, _ name: String) {
    commit("put") { $0.db.authors.insert(Author(id: id, name: name)) }
  }

  func putInAction(_ id: Author.ID, _ name: String) -> Action<Void> {
    .action { context in
      context.commit("put in action") { $0.db.authors.insert(Author(id: id, name: name)) }
    }
  }
}
