import Strata
import StrataMigrations

extension LibraryStore {
  /// Returns when the loan is on disk.
  func lend(_ book: Book.ID, to reader: Reader.ID) async throws {
    try await commitDurably("lend") { library in
      try library.db.books.update(book) { $0.reader = reader }
    }
  }

  /// Readers know the title of their book, and not its ID.
  func giveBack(_ title: String) async throws {
    try await commitDurably("give back") { library in
      for book in library.db.books[Book.byTitle][title] {
        try library.db.books.update(book.id) { $0.reader = nil }
      }
    }
  }
}

try await withPersistence(
  at: CommandLine.arguments.dropFirst().first ?? "library.strata",
  initialState: Library(db: .initial),
  database: \.db,
  with: [.migrations(migrations)],
  store: LibraryStore.init
) { store, persistence in
  for step in persistence.report.migrations?.steps ?? [] { print("Migrated: \(step.name)") }
  var words = CommandLine.arguments.dropFirst(2).makeIterator()
  while let verb = words.next() {
    do {
      switch verb {
      case "lend":
        let (book, reader) = (words.next() ?? "", words.next() ?? "")
        try await store.lend(Book.ID(book), to: Reader.ID(reader))
      case "back": try await store.giveBack(words.next() ?? "")
      default: print("lend BOOK READER, or back TITLE, not \(verb)")
      }
    } catch {
      print("Refused:", error)
    }
  }
  print("The library at revision \(persistence.revision):")
  store.state.db.printBooks()
}
