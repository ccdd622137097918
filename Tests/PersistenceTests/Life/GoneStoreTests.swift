import Foundation
import Strata
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// A persistence whose store was deallocated.
struct GoneStoreTests {
  let directory: TemporaryDirectory
  let persistence: Persistence<LibraryState, LibraryDatabase>

  /// Two commits of a store that is gone.
  init() async throws {
    directory = try TemporaryDirectory()
    persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    store.commit { $0.db.books.insert(Book(id: 2)) }
  }

  @Test func `a revert throws, as it would change nothing`() async throws {
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.revert(to: .revision(1))
    }
    #expect(error?.reason == .storeGone)
    #expect(error?.kind == .closed)
    #expect(error?.remedy == .reopen)
    #expect(persistence.revision == 2)
    try await persistence.close()
  }

  @Test func `what was committed is kept, and can be read`() async throws {
    try await persistence.flush()
    #expect(try await persistence.state(at: .revision(1)).books.count == 1)
    try await persistence.close()
    let again = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db.books.count == 2)
    try await again.close()
  }
}
