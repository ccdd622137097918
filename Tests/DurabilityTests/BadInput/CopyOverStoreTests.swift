import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Another copy of the file is put over a store whose `-wal` stays there: SQLite takes the two for one database.
struct CopyOverStoreTests {
  private let store: TestStore
  private let copies: TemporaryDirectory

  init() throws {
    store = try TestStore()
    copies = try TemporaryDirectory()
  }

  private func copy(_ source: String, to target: String) throws {
    // By another process: closing a file of an open store drops its locks.
    let copy = Process()
    copy.executableURL = URL(fileURLWithPath: "/bin/cp")
    copy.arguments = [source, target]
    try copy.run()
    copy.waitUntilExit()
    #expect(copy.terminationStatus == 0)
  }

  private func commit(_ count: Int, to library: LibraryStore) {
    let first = library.state.db.books.count
    for number in first..<first + count {
      library.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Title \(number)")) }
    }
  }

  /// The store as a crash leaves it after some work, which is in the WAL; returns the path of the copy.
  private func crashed(
    _ policy: SnapshotPolicy = SnapshotPolicy(),
    after work: (LibraryStore, TestStore.Opened) async throws -> Void
  ) async throws -> String {
    let path = copies.path("crashed.strata")
    try await store.run([], LibraryState(), PersistenceConfiguration(snapshots: policy)) {
      library,
      persistence in
      try await work(library, persistence)
      try await persistence.flush()
      for suffix in ["", "-wal", ".head"] { try copy(store.path + suffix, to: path + suffix) }
    }
    return path
  }

  private func contents(of path: String) throws -> [Data] {
    try ["", "-wal", ".head"].map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
  }

  private func refusal(at path: String) async throws -> String? {
    do throws(PersistenceError) {
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      try await persistence.close()
      return nil
    } catch {
      guard case .damaged(let detail) = error.reason else { throw error }
      return detail
    }
  }

  @Test(arguments: [40, 400])
  func `an older file over a store is refused by that cause, and is whole without the log`(
    commits: Int
  ) async throws {
    try await store.run { library, _ in commit(10, to: library) }
    let older = copies.path("older.strata")
    try copy(store.path, to: older)
    try await store.run { library, _ in commit(commits, to: library) }
    let path = try await crashed { library, _ in commit(30, to: library) }
    let whole = copies.path("whole.strata")
    try copy(path, to: whole)
    try copy(older, to: path)
    let files = try contents(of: path)
    let detail = try #require(try await refusal(at: path))
    #expect(detail.contains("another copy was put over the file, and the -wal stayed"))
    #expect(detail.contains("the file ends at revision 10, and its -wal"))
    #expect(try contents(of: path) == files)
    // The file that it belongs to.
    try copy(whole, to: path)
    #expect(try await refusal(at: path) == nil)
  }

  @Test
  func `a file of another store over a store is refused by that cause`() async throws {
    try await store.run { library, _ in commit(10, to: library) }
    let path = try await crashed { library, _ in commit(5, to: library) }
    let other = try TestStore()
    try await other.run { library, _ in commit(10, to: library) }
    try copy(other.path, to: path)
    let detail = try #require(try await refusal(at: path))
    #expect(detail.contains("another copy was put over the file"))
  }

  @Test
  func `the log of a store that was trimmed in it belongs to its file`() async throws {
    try await store.run { library, _ in commit(10, to: library) }
    let policy = SnapshotPolicy(minimumJournalBytes: 1, minimumHistoryBytes: 0)
    let path = try await crashed(policy) { library, persistence in
      while persistence.status.trimmed ?? 0 <= 10 {
        for number in 1...20 {
          library.commit { $0.db.books.insert(Book(id: 1, title: "Title \(number)")) }
        }
        try await persistence.flush()
      }
    }
    #expect(try await refusal(at: path) == nil)
  }
}
