import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Damage that no chain and no snapshot shows: in an index of SQLite, in rows that belong to nothing, in rows with a
/// hash of their own.
struct UnseenDamageTests {
  let store: DamagedStore

  init() async throws { store = try await DamagedStore() }

  /// Flips the lowest bit of the first hash in the index of chunks by their hashes.
  private func damageIndexOfChunks() throws {
    let connection = try Connection(path: store.path, mode: .readOnly)
    let root = try connection.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'chunk_hash'"
    ) { Int(try $0.int(0)) }
    let hashes = try connection.all("SELECT hash FROM chunk ORDER BY hash") { Data(try $0.blob(0)) }
    try connection.close()
    var data = try Data(contentsOf: URL(fileURLWithPath: store.path))
    let start = (try #require(root) - 1) * 4_096
    let hash = try #require(hashes.first)
    let place = try #require(data.range(of: hash, in: start..<start + 4_096))
    data[place.upperBound - 1] ^= 1
    try data.write(to: URL(fileURLWithPath: store.path))
  }

  @Test
  func `a bit in an index of SQLite is found, and stops no snapshot and no trimming`() async throws
  {
    try damageIndexOfChunks()
    let verification = try Inspector(path: store.path).verify()
    #expect(verification.checks.filter { !$0.passed }.map(\.name) == ["pages"])
    let persistence = try await store.open(.strict)
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 999)) }
    try await persistence.flush()
    try await persistence.compact()
    try await persistence.close()
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test
  func `a list of migrations without the one that made the schema is found`() throws {
    try RawSQLite.run("DELETE FROM migration WHERE kind = 0", on: store.path)
    let verification = try Inspector(path: store.path).verify()
    #expect(verification.checks.filter { !$0.passed }.map(\.name) == ["schema"])
  }

  @Test(arguments: [9_223_372_036_854_775_807, 51, 2_000])
  func `a planted index of changes hinders no commit`(revision: Int64) async throws {
    try RawSQLite.run("INSERT INTO change_index VALUES (\(revision), x'00')", on: store.path)
    let persistence = try await store.open(.strict)
    let library = LibraryStore(persistence)
    for number in 1...2_100 {
      library.commit { $0.db.authors.insert(Author(id: "clock", name: "\(number)")) }
    }
    try await persistence.flush()
    try await persistence.close()
    let verification = try Inspector(path: store.path).verify()
    #expect(verification.isSound, "\(verification)")
    #expect(verification.checks.contains { $0.name == "index" && $0.passed })
  }

  @Test(arguments: [51, 9_223_372_036_854_775_807])
  func `a part where the next delta comes is refused, and salvaged`(revision: Int64) async throws {
    try RawSQLite.run("INSERT INTO delta_part VALUES (\(revision), 1, x'00')", on: store.path)
    #expect(try !Inspector(path: store.path).verify().isSound)
    let error = await #expect(throws: PersistenceError.self) { _ = try await store.open(.strict) }
    guard case .damaged(let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("a part of revision \(revision), which has no delta"))
    let persistence = try await store.open(.bestEffort)
    #expect(persistence.initialState.db == store.model(at: 50))
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 999)) }
    try await persistence.flush()
    try await persistence.close()
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test(arguments: [
    "INSERT INTO delta_part VALUES (0, 1, x'00')",
    "INSERT INTO listing SELECT 7, entity_table, first, count, bytes, chunk FROM listing WHERE revision = 40",
  ])
  func `rows that belong to nothing are found, and removed by the writer`(sql: String) async throws
  {
    try RawSQLite.run(sql, on: store.path)
    let verification = try Inspector(path: store.path).verify()
    #expect(verification.checks.filter { !$0.passed }.map(\.name) == ["rows"])
    let persistence = try await store.open(.strict)
    try await persistence.snapshot(named: "again")
    try await persistence.close()
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test
  func `a name whose snapshot is gone is found`() throws {
    try RawSQLite.runAndRecomputeHashes(
      "UPDATE snapshot_name SET revision = 21 WHERE name = 'older'",
      on: store.path
    )
    let failed = try Inspector(path: store.path).verify().checks.filter { !$0.passed }
    #expect(failed.map(\.name) == ["rows"])
    #expect(failed.first?.detail.contains("“older”") == true)
  }
}
