import Foundation
import Strata

extension LibraryStore {
  /// Returns when the loan is on disk.
  func lend(_ book: Book.ID, to reader: Reader.ID) async throws {
    try await commitDurably("lend") { library in
      try library.db.books.update(book) { $0.reader = reader }
    }
  }

  /// Ends the process in the middle of a commit.
  func kill() throws {
    try commit("lose everything") { library in
      library.db.books.removeAll()
      fflush(nil)  // shows what was printed before
      Foundation.kill(getpid(), SIGKILL)
    }
  }
}

try await withPersistence(
  at: CommandLine.arguments.dropFirst().first ?? "library.strata",
  initialState: Library(db: .initial),
  database: \.db,
  store: LibraryStore.init
) { store, persistence in
  print(persistence.report)
  var words = CommandLine.arguments.dropFirst(2).makeIterator()
  while let verb = words.next() {
    do {
      switch verb {
      case "lend":
        let (book, reader) = (words.next() ?? "", words.next() ?? "")
        try await store.lend(Book.ID(book), to: Reader.ID(reader))
        print("\(reader) has \(book): revision \(persistence.durableRevision) is on disk.")
      case "kill": try store.kill()
      default: print("lend BOOK READER, or kill, not \(verb)")
      }
    } catch {
      print("Refused:", error)
    }
  }
  store.state.db.printBooks()
}
