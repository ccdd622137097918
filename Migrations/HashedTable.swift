import StrataBase
package import StrataSQLite

/// A table whose rows no chain and no snapshot covers: each row has a hash of its own.
///
/// ```
/// hash of a row    the hash of the table's name, and of each column in order:
///                  null as the integer 0, an integer as the integers 1 and itself, a text as the integer 2 and
///                  itself, bytes as the integer 3 and themselves
/// ```
///
/// Such a row is written by ``insert(_:on:_:)`` alone, and read by a query of ``select(_:)``, whose rows
/// ``check(_:)`` verifies.
package struct HashedTable: Sendable {
  package let name: String
  /// The columns without the hash.
  package let columns: [String]

  private init(_ name: String, _ columns: String...) {
    (self.name, self.columns) = (name, columns)
  }

  package static let store = HashedTable(
    "store",
    "one",
    "id",
    "epoch",
    "algorithm",
    "created",
    "application"
  )
  package static let lineage = HashedTable(
    "lineage",
    "number",
    "id",
    "reason",
    "revision",
    "chain",
    "time"
  )
  package static let feature = HashedTable("feature", "name", "since")
  package static let origin = HashedTable("origin", "id", "uuid", "opened")
  package static let entityTable = HashedTable("entity_table", "name", "since", "until", "rules")
  package static let declaredColumn = HashedTable(
    "declared_column",
    "entity_table",
    "name",
    "position",
    "field",
    "required",
    "default_value",
    "since",
    "until"
  )
  package static let snapshotName = HashedTable("snapshot_name", "name", "revision")
  package static let leadership = HashedTable("leadership", "one", "epoch", "revision", "chain")
  package static let erasure = HashedTable(
    "erasure",
    "number",
    "entity_table",
    "entity",
    "time",
    "revision",
    "first",
    "last"
  )
  package static let migration = HashedTable(
    "migration",
    "kind",
    "version",
    "name",
    "checksum",
    "applied",
    "duration",
    "form",
    "reversible",
    "script",
    "revision",
    "until",
    "layout",
    "replaces_first",
    "replaces_last",
    "renames"
  )

  package static let all = [
    store, lineage, feature, origin, entityTable, declaredColumn, snapshotName, leadership,
    erasure, migration,
  ]
}

extension HashedTable {
  private var list: String { columns.joined(separator: ", ") }

  /// A query of all columns and the hash.
  ///
  /// - Parameter rest: what follows the name of the table.
  package func select(_ rest: String = "") -> String {
    "SELECT \(list), hash FROM \(name) \(rest)"
  }

  /// Verifies the hash of a row of ``select(_:)``.
  ///
  /// - Throws: `.corrupt` if it is another one.
  package func check(_ row: borrowing Row) throws(SQLiteError) {
    let stored = try row.blob(columns.count)
    let computed = try hash(of: row)
    guard stored == computed.bytes else {
      throw SQLiteError(
        code: .corrupt,
        operation: .read,
        message: """
          hash mismatch in a row of \(name): stored \
          \(Checksum(bytes: stored).map { "\($0)" } ?? "\(stored.count) bytes"), computed \(computed)
          """,
        path: row.path
      )
    }
  }

  /// The rows of a query, each verified.
  ///
  /// - Parameter rest: what follows the name of the table.
  package func rows<T>(
    _ rest: String = "",
    _ values: [Value] = [],
    on connection: Connection,
    _ map: (borrowing Row) throws -> T
  ) throws -> [T] {
    try connection.all(select(rest), values) { row in
      try check(row)
      return try map(row)
    }
  }

  /// The form for a closure that throws only SQLite's errors.
  package func rows<T>(
    _ rest: String = "",
    _ values: [Value] = [],
    on connection: Connection,
    _ map: (borrowing Row) throws(SQLiteError) -> T
  ) throws(SQLiteError) -> [T] {
    try connection.all(select(rest), values) { row throws(SQLiteError) in
      try check(row)
      return try map(row)
    }
  }

  /// What to do with a row that does not have its hash.
  package enum Damaged: Sendable {
    case refuse, leaveOut, keep
  }

  /// The rows of a query as values, without their hashes.
  ///
  /// Unless damage is refused, they end where the table cannot be read.
  package func values(
    _ rest: String = "",
    _ values: [Value] = [],
    on connection: Connection,
    _ damaged: Damaged = .refuse
  ) throws(SQLiteError) -> [[Value]] {
    var found: [[Value]] = []
    do {
      try connection.forEach(select(rest), values) { row throws(SQLiteError) in
        switch damaged {
        case .refuse: try check(row)
        case .leaveOut where try !isIntact(row): return .continue
        case .leaveOut, .keep: break
        }
        var values: [Value] = []
        for column in columns.indices { values.append(try row.value(column)) }
        found.append(values)
        return .continue
      }
    } catch  where damaged != .refuse && error.isOfContents {
      return found
    }
    return found
  }

  private func isIntact(_ row: borrowing Row) throws(SQLiteError) -> Bool {
    try row.optionalBlob(columns.count) == hash(of: row).bytes
  }

  /// What to do where there is a row of the same key.
  package enum Existing: String, Sendable {
    case refuse = "INSERT"
    case replace = "INSERT OR REPLACE"
    case keep = "INSERT OR IGNORE"
  }

  /// Writes a row and its hash.
  package func insert(
    _ values: [Value],
    on connection: Connection,
    _ existing: Existing = .refuse
  ) throws(SQLiteError) {
    var hash = HashOfRow(of: self)
    for value in values { hash.append(value) }
    let places = repeatElement("?", count: columns.count + 1).joined(separator: ", ")
    try connection.run(
      "\(existing.rawValue) INTO \(name) (\(list), hash) VALUES (\(places))",
      values + [.blob(hash.finalize().bytes)]
    )
  }

  /// Changes rows, which get new hashes.
  ///
  /// - Parameters:
  ///   - rest: Which rows: what follows the name of the table in a query.
  ///   - change: Leaves the columns of the key as they are.
  package func update(
    _ rest: String,
    _ values: [Value] = [],
    on connection: Connection,
    _ change: (inout [Value]) -> Void
  ) throws(SQLiteError) {
    for var row in try self.values(rest, values, on: connection) {
      change(&row)
      try insert(row, on: connection, .replace)
    }
  }

  /// Ends at a revision what no longer holds after it, for a table whose rows have an `until`.
  package func end(
    _ rest: String,
    _ values: [Value],
    at revision: Int64,
    on connection: Connection
  ) throws(SQLiteError) {
    guard let place = columns.firstIndex(of: "until") else { return }
    try update(rest, values, on: connection) { $0[place] = .integer(revision) }
  }

  /// Makes a row that ends after a revision what it was there.
  package func removeEnd(after revision: Int64, from row: inout [Value]) {
    guard let place = columns.firstIndex(of: "until"), case .integer(let until) = row[place] else {
      return
    }
    if until > revision { row[place] = .null }
  }

  /// Verifies the hash of each row; returns how many there are.
  ///
  /// O(rows).
  @discardableResult
  package func verify(_ connection: Connection) throws(SQLiteError) -> Int {
    try rows(on: connection) { _ throws(SQLiteError) in }.count
  }

  private func hash(of row: borrowing Row) throws(SQLiteError) -> Checksum {
    var hash = HashOfRow(of: self)
    for column in columns.indices { hash.append(try row.value(column)) }
    return hash.finalize()
  }

  private struct HashOfRow {
    private var builder = ChecksumBuilder(reservingCapacity: 256)

    init(of table: HashedTable) { builder.append(table.name) }

    mutating func append(_ value: Value) {
      switch value {
      case .null: builder.append(UInt64(0))
      case .integer(let number):
        builder.append(UInt64(1))
        builder.append(number)
      case .text(let text):
        builder.append(UInt64(2))
        builder.append(text)
      case .blob(let bytes):
        builder.append(UInt64(3))
        builder.append(bytes)
      // No column has one.
      case .real(let number):
        builder.append(UInt64(4))
        builder.append(number.bitPattern)
      }
    }

    func finalize() -> Checksum { builder.finalize() }
  }
}

extension HashedTable {
  /// The name of a feature that a program must know of, besides the format, to write to a file; nil if there is none.
  ///
  /// File systems do the same: what does not know such a feature can still read. This version knows none and writes no row
  /// of the table `feature`, so any row is of a later one. A row stays while the history reaches back to it, so it holds for
  /// every state that can be read.
  package static func unknownFeature(on connection: Connection) throws(SQLiteError) -> String? {
    try feature.rows("ORDER BY name LIMIT 1", on: connection) {
      row throws(SQLiteError) in try row.text(0)
    }.first
  }
}
