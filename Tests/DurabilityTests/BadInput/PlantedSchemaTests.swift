import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A schema that is not the one that the migrations make: refused before anything in it is used.
struct PlantedSchemaTests {
  private func plant(_ sql: String, in path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(sql)
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  private func damage(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
    } catch let error as PersistenceError {
      if case .damaged(let detail) = error.reason { return detail }
      Issue.record("another reason: \(error)")
    } catch {
      Issue.record("another error: \(error)")
    }
    return nil
  }

  private static let plants: [(String, String)] = [
    (
      """
      CREATE TRIGGER t AFTER INSERT ON delta BEGIN
        DELETE FROM delta WHERE revision = new.revision;
      END
      """, "it has a foreign trigger t"
    ),
    (
      "CREATE TRIGGER u AFTER INSERT ON origin BEGIN DELETE FROM delta; END",
      "it has a foreign trigger u"
    ),
    ("CREATE VIEW v AS SELECT 1", "it has a foreign view v"),
    ("CREATE TABLE more (k INTEGER PRIMARY KEY)", "it has a foreign table more"),
    ("CREATE INDEX more ON delta (name)", "it has a foreign index more"),
    ("ANALYZE", "it has a foreign table sqlite_stat1"),
    ("DROP TABLE leadership", "is missing"),
    (
      "ALTER TABLE snapshot ADD COLUMN filler BLOB AS (zeroblob(60000000))",
      "the table snapshot is not as Strata makes it"
    ),
  ]

  @Test(arguments: plants)
  func `one object more, less or other is named before anything is read`(
    sql: String,
    finding: String
  ) async throws {
    let store = try await DamagedStore()
    try plant(sql, in: store.path)
    let before = try StoreBytes(store.path)
    for policy in [RestorePolicy.strict, .readOnly] {
      let detail = await damage { _ = try await store.open(policy) }
      #expect(detail?.contains(finding) == true, "\(detail ?? "")")
    }
    let detail = await damage { _ = try Inspector(path: store.path).verify() }
    #expect(detail?.contains(finding) == true, "\(detail ?? "")")
    #expect(try StoreBytes(store.path) == before)
  }

  @Test
  func `an endless view in place of a table is not read`() async throws {
    let store = try await DamagedStore()
    try plant(
      """
      DROP TABLE snapshot;
      CREATE VIEW snapshot AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
        SELECT x AS revision, 1 AS lineage, 1 AS time, zeroblob(16) AS chain, 2 AS state, 0 AS chunks,
          0 AS entities, 0 AS bytes, zeroblob(16) AS hash FROM n
      """,
      in: store.path
    )
    for policy in [RestorePolicy.strict, .bestEffort, .readOnly] {
      let detail = await damage { _ = try await store.open(policy) }
      #expect(detail?.contains("foreign view snapshot") == true, "\(detail ?? "")")
    }
    #expect(await damage { _ = try Inspector(path: store.path).info() } != nil)
  }

  @Test(arguments: plants.prefix(6).map(\.0))
  func `best effort salvages everything from tables that are as they should be`(
    sql: String
  ) async throws {
    let store = try await DamagedStore()
    try plant(sql, in: store.path)
    let opened = try await store.open(.bestEffort)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.outcome == .restoredWithLoss)
    #expect(opened.report.loss?.revisions == nil)
    LibraryStore(opened).commit { $0.db.books.insert(Book(id: 999)) }
    try await opened.close()
    #expect(try Inspector(path: store.path).verify().isSound)
    let again = try await store.open(.strict)
    #expect(again.revision == 51)
    try await again.close()
  }

  @Test
  func `best effort does not read a table with a computed column`() async throws {
    let store = try await DamagedStore()
    try plant("ALTER TABLE snapshot ADD COLUMN filler BLOB AS (zeroblob(60000000))", in: store.path)
    let before = try StoreBytes(store.path)
    let detail = await damage { _ = try await store.open(.bestEffort) }
    #expect(detail?.contains("the table snapshot is not as Strata makes it") == true)
    #expect(try StoreBytes(store.path) == before)
  }

  @Test
  func `statistics with computed columns do not hang the opening`() async throws {
    let store = try await DamagedStore()
    // SQLite evaluates these columns when it loads the schema.
    try RawSQLite.run(
      """
      ANALYZE; PRAGMA writable_schema=ON;
      UPDATE sqlite_schema SET sql =
        'CREATE TABLE sqlite_stat1(tbl, idx, n, stat AS (hex(randomblob(1000000 + n))))'
        WHERE name = 'sqlite_stat1'
      """,
      on: store.path
    )
    let detail = await damage { _ = try await store.open(.strict) }
    #expect(detail?.contains("sqlite_stat1") == true, "\(detail ?? "")")
  }
}
