import Strata

extension LibraryStore {
  /// Returns when the loan is on disk.
  func lend(_ book: Book.ID, to reader: Reader.ID) async throws {
    try await commitDurably("lend") { library in
      try library.db.books.update(book) { $0.reader = reader }
    }
  }
}

try await withPersistence(
  at: CommandLine.arguments.dropFirst().first ?? "library.strata",
  initialState: Library(db: .initial),
  database: \.db,
  store: LibraryStore.init
) { store, persistence in
  let undo = UndoStack(of: store, database: \.db)
  var words = CommandLine.arguments.dropFirst(2).makeIterator()
  while let verb = words.next() {
    do {
      switch verb {
      case "lend":
        let (book, reader) = (words.next() ?? "", words.next() ?? "")
        try await store.lend(Book.ID(book), to: Reader.ID(reader))
      case "undo":
        if try !undo.undo() { print("There is nothing to undo.") }
      case "redo":
        if try !undo.redo() { print("There is nothing to redo.") }
      case "history":
        let book = Book.ID(words.next() ?? "")
        for version in try await persistence.history(of: book) {
          print("revision \(version.revision):", version.entity?.reader?.raw ?? "on the shelf")
        }
      case "at":
        let revision = words.next().flatMap { Revision($0) } ?? persistence.revision
        print("The library at revision \(revision):")
        try await persistence.state(at: .revision(revision)).printBooks()
      default: print("lend BOOK READER, undo, redo, history BOOK, or at REVISION, not \(verb)")
      }
    } catch {
      print("Refused:", error)
    }
  }
  print("The library at revision \(persistence.revision):")
  store.state.db.printBooks()
}
