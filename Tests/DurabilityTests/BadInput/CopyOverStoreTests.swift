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

  @Test
  func `a checkpoint that was interrupted after any pages is no other copy`() async throws {
    try await store.run { library, _ in commit(10, to: library) }
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    // Each delta goes on in pages of its own.
    let titles = (0..<4).map { _ in
      (0..<500).map { _ in String(UInt64.random(in: 0...(.max), using: &random)) }.joined()
    }
    let path = try await crashed { library, persistence in
      for (number, title) in zip(20..., titles) {
        library.commit { $0.db.books.insert(Book(id: EntityID(number), title: title)) }
        try await persistence.flush()
      }
    }
    let files = try contents(of: path)
    let whole = copies.path("whole.strata")
    for suffix in ["", "-wal"] { try copy(path + suffix, to: whole + suffix) }
    let connection = try Connection(path: whole, mode: .readWrite)
    // SQLite opens a WAL with the first statement.
    _ = try connection.first("SELECT count(*) FROM delta") { row in try row.int(0) }
    #expect(try connection.checkpoint(.truncate).isComplete)
    try connection.close()
    let (before, after) = (files[0], try Data(contentsOf: URL(fileURLWithPath: whole)))
    let page = Int(before[16]) << 8 | Int(before[17])
    let old = before + Data(count: after.count - before.count)
    for missing in 0..<after.count / page {
      let share = Int.random(in: 0...1, using: &random)
      var main = after
      for number in 0..<after.count / page
      where number == missing || Int.random(in: 0..<20, using: &random) < share {
        let place = number * page..<(number + 1) * page
        main.replaceSubrange(place, with: old[place])
      }
      for (suffix, contents) in zip(["", "-wal", ".head"], [main] + files.dropFirst()) {
        try contents.write(to: URL(fileURLWithPath: path + suffix))
      }
      #expect(try await refusal(at: path) == nil, "seed \(seed), page \(missing + 1)")
    }
  }
}
