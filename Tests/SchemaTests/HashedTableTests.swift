import Foundation
import StrataSQLite
import StrataSchema
import Testing

@Suite struct HashedTableTests {
  private func makeStore() throws -> Connection {
    let connection = try Connection.inMemory()
    try Migrator(catalog: .file, now: { 0 }).migrate(connection)
    return connection
  }

  @Test func `the hash of a row is the one that the page states`() throws {
    let connection = try makeStore()
    try HashedTable.leadership.insert(
      [1, 3, 7, .blob([UInt8](repeating: 0, count: 16))],
      on: connection
    )
    let hash = try connection.first("SELECT lower(hex(hash)) FROM leadership") { try $0.text(0) }
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/StrataStorage/StrataStorage.docc/OnDiskFormat.md")
    #expect(try String(contentsOf: page, encoding: .utf8).contains("\n\(try #require(hash))\n"))
  }

  @Test func `a row without its hash is refused, left out or kept`() throws {
    let connection = try makeStore()
    for (name, revision) in [("a", 1), ("b", 2)] as [(String, Int64)] {
      try HashedTable.snapshotName.insert([.text(name), .integer(revision)], on: connection)
    }
    #expect(try HashedTable.snapshotName.verify(connection) == 2)
    try connection.run("UPDATE snapshot_name SET revision = 3 WHERE name = 'a'")
    let error = #expect(throws: SQLiteError.self) {
      try HashedTable.snapshotName.verify(connection)
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.hasPrefix("hash mismatch in a row of snapshot_name: stored ") == true)
    #expect(throws: SQLiteError.self) { try HashedTable.snapshotName.values(on: connection) }
    #expect(try HashedTable.snapshotName.values(on: connection, .leaveOut) == [["b", 2]])
    #expect(try HashedTable.snapshotName.values(on: connection, .keep) == [["a", 3], ["b", 2]])
  }

  @Test func `a table's columns are those of the schema, with the hash last`() throws {
    let connection = try makeStore()
    for table in HashedTable.all {
      let columns = try connection.all("PRAGMA table_info(\(table.name))") { try $0.text(1) }
      #expect(columns == table.columns + ["hash"])
    }
    let hashed = try connection.all(
      """
      SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'hash' ORDER BY m.name
      """
    ) { try $0.text(0) }
    // The others have the hash of a body or of a chain.
    #expect(
      Set(hashed).subtracting(["layout", "delta", "snapshot", "chunk"])
        == Set(HashedTable.all.map(\.name))
    )
  }
}
