import Foundation
import StrataBase
import StrataJournal

/// A store whose file, or what lies beside it, was changed as only a program can that knows the format.
///
/// Values become extremes and all hashes are recomputed, so that only checks of the meaning of values are
/// left; objects are added to the schema; companions become other kinds of files. Everything is
/// determined by the seed and the number.
package struct Forgery {
  /// What was changed.
  package private(set) var description = ""
  private let path: String
  private var random: SeededGenerator
  /// Columns whose value is the forged one: "table.column".
  private var forged: Set<String> = []

  /// Changes the store at a path, which is a copy of one of the samples.
  package init(_ number: Int, seed: UInt64, at path: String) throws {
    self.path = path
    random = SeededGenerator(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<10:
      let changes = one(of: [1, 1, 2, 3])
      for _ in 0..<changes { try changeValue() }
      try finish()
    case 10..<13:
      try changeBytes()
      try finish()
    case 13: try changeRows()
    case 14..<17: try plant()
    case 17: try changeHead()
    default: try replaceCompanion()
    }
  }

  private mutating func note(_ text: String) {
    description += (description.isEmpty ? "" : "; ") + text
  }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }
}

/// Rows.
extension Forgery {
  private static let tables = [
    "store", "lineage", "origin", "entity_table", "layout", "delta", "delta_part", "snapshot",
    "chunk", "listing", "snapshot_name", "migration", "change_index", "leadership",
    "erasure", "declared_column",
  ]

  private static let values = [
    "0", "-1", "1", "2", "9223372036854775807", "-9223372036854775808", "9223372036854775806",
    "4294967296", "2147483648", "65536", "NULL", "1.5", "9e999", "'x'", "''", "x''", "x'00'",
    "zeroblob(16)", "zeroblob(15)", "zeroblob(8000000)",
    "CAST(hex(zeroblob(2500)) AS BLOB)",
    "CAST(x'FFFE80C0' AS TEXT)", "'a' || char(0) || 'b'", "'value:'", "'value:x'", "'books'",
    "char(27) || '[31m' || char(155) || char(8238) || char(10) || char(8206)",
    "CAST(zeroblob(3000000) AS TEXT)", "replace(hex(zeroblob(100000)), '00', 'long')",
  ]

  /// Runs `body` while no table has a constraint.
  private func withoutConstraints(_ body: (RawDatabase) throws -> Void) throws {
    let schema = try RawDatabase(path).rows(
      "SELECT rowid, sql FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL"
    )
    try edit(
      """
      sql = replace(replace(replace(sql, ') STRICT, WITHOUT', ') WITHOUT'), ') STRICT', ')'),
        ' NOT NULL', '')
        WHERE type = 'table'
      """
    )
    try body(RawDatabase(path))
    let database = try RawDatabase(path)
    try database.execute("PRAGMA writable_schema = ON")
    for row in schema {
      try database.rows("UPDATE sqlite_schema SET sql = ? WHERE rowid = ?", [row[1], row[0]])
    }
  }

  private func edit(_ change: String) throws {
    let database = try RawDatabase(path)
    try database.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change)")
  }

  /// Sets a column of a row to an extreme.
  private mutating func changeValue() throws {
    for _ in 0..<20 {
      let (table, column) = try anyColumn()
      let value = one(of: Self.values)
      let place = Int.random(in: 0..<1_000, using: &random)
      var changed = 0
      try withoutConstraints { database in
        let key = Self.key(of: table)
        let choice = "SELECT \(key) FROM \(table) ORDER BY 1"
        let rows = try database.rows(choice)
        guard !rows.isEmpty else { return }
        let row = rows[place % rows.count]
        do {
          let sql = "UPDATE \(table) SET \(column) = \(value) WHERE \(key) IS ?"
          try database.rows(sql, row)
          changed = database.changes
        } catch is RawDatabase.Failure {
          // A key that is there already, or null as the key of a table without row ids.
        }
      }
      guard changed > 0 else { continue }
      forged.insert("\(table).\(column)")
      return note("\(table).\(column) = \(value) in row \(place)")
    }
  }

  private mutating func anyColumn() throws -> (table: String, column: String) {
    let table = one(of: Self.tables)
    let columns = try RawDatabase(path).rows("PRAGMA table_info(\(table))").map { row in
      String(decoding: row[1].bytes, as: UTF8.self)
    }
    return (table, one(of: columns))
  }

  private static func key(of table: String) -> String {
    switch table {
    case "entity_table", "snapshot_name", "declared_column", "migration": "name"
    case "listing": "first"
    case "delta_part": "revision"
    default: "rowid"
    }
  }

  /// Changes some bytes of a body.
  private mutating func changeBytes() throws {
    let table = one(of: ["layout", "delta", "delta_part", "chunk"])
    let database = try RawDatabase(path)
    let key = Self.key(of: table)
    let rows = try database.rows("SELECT \(key), body FROM \(table) ORDER BY 1")
    guard !rows.isEmpty else { return try changeValue() }
    let row = one(of: rows)
    var bytes = row[1].bytes
    let changes = Int.random(in: 1...4, using: &random)
    for _ in 0..<changes { mutate(&bytes) }
    try database.rows("UPDATE \(table) SET body = ? WHERE \(key) = ?", [.blob(bytes), row[0]])
    note("\(changes) changes of bytes in \(table).body of row \(row[0].integer)")
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    // The lists at the front are where most of the meaning is.
    let limit = Bool.random(using: &random) ? min(bytes.count, 64) : bytes.count
    let index = Int.random(in: 0...limit, using: &random)
    let longest: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.removeLast(bytes.count - index)
    case 1: bytes.insert(contentsOf: longest, at: index)
    case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: index)
    case 3 where index < bytes.count: bytes.remove(at: index)
    case 4 where index < bytes.count:
      bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 5 where index < bytes.count: bytes[index] = one(of: [0, 1, 2, 34, 35, 127, 128, 255])
    default: bytes.append(0)
    }
  }

  /// Removes or repeats a row.
  private mutating func changeRows() throws {
    let table = one(of: Self.tables)
    let database = try RawDatabase(path)
    let key = Self.key(of: table)
    let rows = try database.rows("SELECT \(key) FROM \(table) ORDER BY 1")
    guard let row = rows.isEmpty ? nil : one(of: rows) else { return try changeValue() }
    if Bool.random(using: &random) {
      try database.rows("DELETE FROM \(table) WHERE \(key) IS ?", row)
      note("row \(row[0]) of \(table) removed")
    } else {
      let columns = try database.rows("PRAGMA table_info(\(table))").map {
        String(decoding: $0[1].bytes, as: UTF8.self)
      }
      let number = one(of: ["-1", "0", "3", "1000", "9223372036854775807"])
      let list = columns.enumerated().map { $0.offset == 0 ? number : $0.element }
      let sql =
        "INSERT OR IGNORE INTO \(table) SELECT \(list.joined(separator: ", ")) FROM \(table)"
      do { try database.rows("\(sql) WHERE \(key) IS ?", row) } catch is RawDatabase.Failure {}
      note("row \(row[0]) of \(table) repeated as \(number)")
    }
    try finish()
  }

  /// Recomputes all hashes, and makes the head one of three: none, that of the new end, the old one.
  private mutating func finish() throws {
    var end = RawDatabase.End()
    try withoutConstraints { end = try $0.recomputeHashes(keeping: forged) }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: note("old head")
    case 1:
      try FileManager.default.removeItem(atPath: path + ".head")
      note("no head")
    default:
      let mark = HeadRecord.Mark(revision: Revision(end.revision), chain: end.chain)
      try write(
        HeadRecord(
          storeID: end.storeID,
          lineage: Lineage.ID(end.lineage),
          bootID: end.storeID,
          durable: mark,
          written: mark
        ),
        serial: 1
      )
    }
  }

  private func write(_ head: HeadRecord, serial: UInt64) throws {
    let bytes = head.slot(serial: serial) + [UInt8](repeating: 0, count: 512)
    try Data(bytes).write(to: URL(fileURLWithPath: path + ".head"))
  }
}

/// The schema.
extension Forgery {
  private static let endless = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    """

  /// Adds, replaces or removes an object of the schema.
  private mutating func plant() throws {
    let table = one(of: Self.tables)
    let event = one(of: ["AFTER INSERT", "BEFORE INSERT", "AFTER UPDATE", "AFTER DELETE"])
    let action = one(of: [
      "DELETE FROM delta", "DELETE FROM \(table)", "UPDATE snapshot SET state = 2",
      "DELETE FROM chunk", "SELECT RAISE(IGNORE)", "SELECT RAISE(ABORT, 'no')",
      "UPDATE delta SET body = x''", "SELECT count(*) FROM (\(Self.endless) SELECT i FROM n)",
    ])
    let columns = try RawDatabase(path).rows("PRAGMA table_info(\(table))").map {
      "i AS " + String(decoding: $0[1].bytes, as: UTF8.self)
    }
    let sql = one(of: [
      "CREATE TRIGGER planted \(event) ON \(table) BEGIN \(action); END",
      "CREATE TRIGGER planted \(event) ON \(table) BEGIN \(action); END",
      "CREATE TRIGGER planted \(event) ON \(table) BEGIN \(action); END",
      """
      ALTER TABLE \(table) RENAME TO planted;
      CREATE VIEW \(table) AS \(Self.endless) SELECT \(columns.joined(separator: ", ")) FROM n
      """,
      "ALTER TABLE \(table) ADD COLUMN planted BLOB AS (zeroblob(60000000))",
      "ALTER TABLE \(table) ADD COLUMN planted INTEGER DEFAULT 1",
      "ALTER TABLE \(table) RENAME TO planted",
      "ALTER TABLE \(table) RENAME COLUMN \(columns[0].dropFirst(5)) TO planted",
      "DROP TABLE \(table)",
      "CREATE TABLE planted (x)",
      "CREATE TABLE \"\u{1B}[31m\u{9B}\u{202E}\" (x)",
      "CREATE VIEW planted AS \(Self.endless) SELECT i FROM n",
      "CREATE INDEX planted ON \(table) (\(columns[0].dropFirst(5)))",
      "CREATE UNIQUE INDEX planted ON \(table) (abs(\(columns[0].dropFirst(5))))",
      "ANALYZE",
      "PRAGMA user_version = \(one(of: ["-1", "0", "1", "3", "2147483647"]))",
      "PRAGMA application_id = \(one(of: ["-1", "0", "1"]))",
      "PRAGMA journal_mode = DELETE",
      "PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = DELETE; VACUUM",
    ])
    do {
      try RawDatabase(path).execute(sql)
    } catch is RawDatabase.Failure {
      // Some alterations are not possible for a table of its kind.
      try edit(
        one(of: [
          "name = char(27) || '[31m' || name WHERE name = '\(table)'",
          "rootpage = 0 WHERE name = '\(table)'", "rootpage = 999999 WHERE name = '\(table)'",
          "rootpage = 1 WHERE name = '\(table)'", "sql = 'no SQL' WHERE name = '\(table)'",
          "sql = NULL WHERE name = '\(table)'", "type = 'view' WHERE name = '\(table)'",
        ])
      )
      return note("an entry of the schema for \(table) was changed")
    }
    note(sql)
  }
}

/// Companions.
extension Forgery {
  /// Writes a head whose hash is right.
  private mutating func changeHead() throws {
    let end = try RawDatabase(path).recomputeHashes()
    let extremes: [Int64] = [0, -1, 1, .max, .min, .max - 1, end.revision, end.revision + 1]
    let chains = [end.chain, Checksum(of: [])]
    let serial = one(of: [0, 1, .max, .max - 1] as [UInt64])
    let head = HeadRecord(
      storeID: end.storeID,
      lineage: Lineage.ID(one(of: extremes + Array(repeating: end.lineage, count: 5))),
      bootID: end.storeID,
      durable: HeadRecord.Mark(revision: Revision(one(of: extremes)), chain: one(of: chains)),
      written: HeadRecord.Mark(revision: Revision(one(of: extremes)), chain: one(of: chains))
    )
    try write(head, serial: serial)
    note(
      """
      head: serial \(serial), lineage \(head.lineage), durable \(head.durable.revision), written \
      \(head.written.revision)
      """
    )
  }

  /// Puts something else in the place of a companion, with a file `victim` that nothing may change.
  private mutating func replaceCompanion() throws {
    let suffix = one(of: ["-wal", "-journal", "-journal", ".head", ".lock", ".creating", "-shm"])
    let companion = path + suffix
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let victim = directory + "/victim"
    try Data("nobody may change this".utf8).write(to: URL(fileURLWithPath: victim))
    try? FileManager.default.removeItem(atPath: companion)
    let kind = one(of: [
      "FIFO", "link", "dangling link", "circular link", "directory", "full directory", "noise",
      "empty file", "foreign journal", "foreign journal", "database",
    ])
    let url = URL(fileURLWithPath: companion)
    switch kind {
    case "FIFO": mkfifo(companion, 0o600)
    case "link": symlink("victim", companion)
    case "dangling link": symlink("new-victim", companion)
    case "circular link": symlink(url.lastPathComponent, companion)
    case "directory", "full directory":
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      if kind == "full directory" { try Data([1]).write(to: url.appendingPathComponent("file")) }
    case "noise":
      let count = one(of: [1, 31, 33, 600, 1_024, 5_000, 100_000])
      try Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }).write(to: url)
    case "empty file": try Data().write(to: url)
    case "database": try FileManager.default.copyItem(atPath: path, toPath: companion)
    default: try Data(hotJournal()).write(to: url)
    }
    note("\(kind) in place of \(suffix)")
  }

  /// A rollback journal that SQLite would play into the file: it sets three pages to zeros.
  ///
  /// https://www.sqlite.org/fileformat.html#the_rollback_journal
  private mutating func hotJournal() throws -> [UInt8] {
    let pages = try RawDatabase(path).rows("PRAGMA page_count")[0][0].integer
    let nonce = UInt32.random(in: 0 ... .max, using: &random)
    var bytes: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let recorded = min(3, pages - 1)
    for number in [UInt32(recorded), nonce, UInt32(pages), 512, 4_096] {
      bytes += number.bigEndian4
    }
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
    for page in 0..<recorded {
      bytes += UInt32(page + 2).bigEndian4
      bytes += [UInt8](repeating: 0, count: 4_096)
      bytes += nonce.bigEndian4
    }
    return bytes
  }
}

extension UInt32 {
  /// The bytes of the number, the most significant first.
  fileprivate var bigEndian4: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
