import Foundation
import StrataSQLite
import StrataSchema
import TestSupport
import Testing

@Suite struct MigratorTests {
  private static let one = Migration(version: 1, name: "one", sql: "CREATE TABLE a (x)")
  private static let two = Migration(
    version: 2,
    name: "two",
    sql: "CREATE TABLE b (x); INSERT INTO b VALUES (1)"
  )

  @Test func `a new file gets every migration, its ledger and its version`() throws {
    try withConnection { connection throws in
      var time: Int64 = 1_000
      let migrator = Migrator(
        catalog: MigrationCatalog([Self.one, Self.two]),
        now: {
          time += 7
          return time
        }
      )
      #expect(try migrator.plan(for: connection).pending == [Self.one, Self.two])
      #expect(try migrator.migrate(connection) == [Self.one, Self.two])
      #expect(
        try MigrationLedger.entries(on: connection) == [
          MigrationLedger.Entry(
            version: 1,
            name: "one",
            checksum: Self.one.checksum,
            applied: 1_007,
            duration: 7
          ),
          MigrationLedger.Entry(
            version: 2,
            name: "two",
            checksum: Self.two.checksum,
            applied: 1_021,
            duration: 7
          ),
        ]
      )
      #expect(try connection.userVersion() == 2)
      #expect(try migrator.migrate(connection) == [])
      #expect(time == 1_028)
    }
  }

  @Test func `the schema of a store runs on a new file`() throws {
    try withConnection { connection in
      try migrate(connection, MigrationCatalog.file.migrations)
      let tables = try connection.all(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
      ) { try $0.text(0) }
      #expect(
        tables == [
          "change_index", "chunk", "declared_column", "delta", "delta_part", "entity_table",
          "erasure", "feature", "layout", "leadership", "lineage", "listing", "migration",
          "origin", "snapshot", "snapshot_name", "store",
        ]
      )
      #expect(try connection.userVersion() == Int32(MigrationCatalog.file.latest))
    }
  }

  @Test(
    arguments: [
      "CREATE TABLE c (x); INSERT INTO missing VALUES (1); CREATE TABLE d (x)",
      "CREATE TABLE c (x); COMMIT; BEGIN",
      "CREATE TABLE c (x); ROLLBACK",
      "CREATE TABLE c (x); SELEC",
      "PRAGMA user_version = 99; INSERT OR ROLLBACK INTO a VALUES (1), (1)",
    ])
  func `a failing migration leaves everything as it was`(sql: String) throws {
    try withConnection { connection in
      let first = Migration(version: 1, name: "one", sql: "CREATE TABLE a (x UNIQUE)")
      try migrate(connection, [first])
      let before = try contents(connection)
      let broken = Migration(version: 3, name: "broken", sql: sql)
      do {
        try migrate(connection, [first, Self.two, broken])
        Issue.record("it did not fail")
      } catch MigrationError.failed(let version, let name, let cause) {
        #expect(version == 3)
        #expect(name == "broken")
        #expect(cause.operation != .commit)
      }
      #expect(try contents(connection) == before)
      #expect(!connection.isInTransaction)
      try migrate(connection, [first, Self.two])
      #expect(try connection.userVersion() == 2)
    }
  }

  @Test func `a new file on which the first migration fails stays empty`() throws {
    try withConnection { connection throws in
      let broken = Migration(version: 1, name: "broken", sql: "CREATE TABLE a (x); SELEC")
      #expect(throws: MigrationError.self) { try migrate(connection, [broken]) }
      #expect(try contents(connection) == Contents(schema: [], ledger: [], userVersion: 0))
    }
  }

  @Test func `a refused file is not written to`() throws {
    try withConnection { connection in
      try migrate(connection, [Self.one, Self.two])
      let version = try connection.dataVersion()
      let before = try contents(connection)
      let observer = try Connection(path: connection.path, mode: .readOnly)
      let seen = try observer.dataVersion()
      #expect(throws: MigrationError.newerThanBuild(found: 2, known: 1)) {
        try migrate(connection, [Self.one])
      }
      let changed = Migration(version: 1, name: "one", sql: "CREATE TABLE a (y)")
      let three = Migration(version: 3, name: "three", sql: "CREATE TABLE c (x)")
      #expect(throws: MigrationError.drifted(version: 1, name: "one")) {
        try migrate(connection, [changed, Self.two, three])
      }
      #expect(try contents(connection) == before)
      #expect(try connection.dataVersion() == version)
      #expect(try observer.dataVersion() == seen)
    }
  }

  @Test func `a file that is up to date needs no lock`() throws {
    try withConnection { connection in
      try migrate(connection, [Self.one])
      let reader = try Connection(path: connection.path, mode: .readOnly)
      let applied = try connection.transaction { try migrate(reader, [Self.one]) }
      #expect(applied == [])
    }
  }

  @Test func `connections that migrate at once run each migration once`() async throws {
    // The first script takes long enough for every other connection to have read the empty ledger.
    let slow = Migration(
      version: 1,
      name: "slow",
      sql: """
        CREATE TABLE a (x);
        INSERT INTO a WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
          SELECT i FROM n
        """
    )
    let catalog = MigrationCatalog([slow, Self.two])
    try await withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("test.db").path
      try makeConnection(at: path).close()
      let applied = try await withThrowingTaskGroup(of: [Migration].self) { group in
        for _ in 0..<3 {
          group.addTask {
            let connection = try Connection(path: path, mode: .readWrite)
            return try Migrator(catalog: catalog, now: { 0 }).migrate(connection)
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(applied == [slow, Self.two])
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(try connection.first("SELECT count(*) FROM b") { try $0.int(0) } == 1)
    }
  }

  @Test func `an error names no path and offers a remedy`() throws {
    try withConnection { connection in
      let broken = Migration(version: 1, name: "broken", sql: "SELEC")
      do {
        try migrate(connection, [broken])
      } catch let error as MigrationError {
        #expect(
          "\(error)"
            == "migration 1 (broken) failed: near \"SELEC\": syntax error (SQLITE_ERROR 1)"
        )
        #expect(!error.remedy.isEmpty)
      }
    }
  }
}

private struct Contents: Equatable {
  let schema: [String]
  let ledger: [MigrationLedger.Entry]
  let userVersion: Int32
}

private func contents(_ connection: Connection) throws -> Contents {
  Contents(
    schema: try connection.all("SELECT name || ': ' || sql FROM sqlite_schema WHERE sql NOT NULL") {
      try $0.text(0)
    },
    ledger: try MigrationLedger.entries(on: connection),
    userVersion: try connection.userVersion()
  )
}

@discardableResult
private func migrate(_ connection: Connection, _ migrations: [Migration]) throws -> [Migration] {
  try Migrator(catalog: MigrationCatalog(migrations), now: { 0 }).migrate(connection)
}

private func withConnection(_ body: (Connection) throws -> Void) throws {
  try withTemporaryDirectory { directory in
    try body(makeConnection(at: directory.appendingPathComponent("test.db").path))
  }
}

private func makeConnection(at path: String) throws -> Connection {
  let connection = try Connection(path: path, mode: .create)
  try connection.configureWriter(newFile: FileHeader(applicationID: 0x5354_5241))
  return connection
}
