import StrataSQLite

/// What a run of migrations has changed so far, in a database of its own that uses the disk beyond 16 MB.
///
/// A row stands for one entity. `kept` has what earlier steps of the run have left, `staged` what the present one
/// has: its layout is null where the entity is removed. All SQL of a run is here.
struct MigrationStaging {
  struct Change {
    let id: [UInt8]
    /// Nil for a removed entity.
    let record: (layout: Int64, bytes: [UInt8])?
    /// In `staged`: the ID that the record had before; empty for a removed one that has another ID now.
    let origin: [UInt8]?
    /// In `staged`: when the row was added.
    let number: Int64
    /// In `staged`: whether the step has removed the record that had this ID, though another may have it now.
    var isRemoved = false
  }

  enum Table: String {
    case kept, staged
  }

  private let connection: Connection

  init() throws(SQLiteError) {
    connection = try .temporary(cacheBytes: 16 << 20)
    try connection.setTemporaryFiles(cacheBytes: 16 << 20)
    try connection.execute(
      """
      CREATE TABLE kept(tab INTEGER, id BLOB, number INTEGER, origin BLOB, layout INTEGER, record BLOB,
        removed INTEGER, PRIMARY KEY(tab, id)) WITHOUT ROWID;
      CREATE TABLE staged(tab INTEGER, id BLOB, number INTEGER, origin BLOB, layout INTEGER, record BLOB,
        removed INTEGER, PRIMARY KEY(tab, id)) WITHOUT ROWID;
      CREATE INDEX staged_origin ON staged(tab, origin) WHERE origin IS NOT NULL;
      CREATE TABLE moved(old BLOB PRIMARY KEY, id BLOB NOT NULL UNIQUE, value BLOB, layout INTEGER,
        record BLOB) WITHOUT ROWID;
      CREATE TABLE referring(target INTEGER, id BLOB, place INTEGER, count INTEGER,
        PRIMARY KEY(target, id, place)) WITHOUT ROWID;
      BEGIN
      """
    )
  }

  private static func row(_ row: borrowing Row) throws(SQLiteError) -> Change {
    let layout = try row.optionalInt(1)
    let bytes = try row.optionalBlob(2)
    var record: (Int64, [UInt8])?
    if let layout { record = (layout, bytes ?? []) }
    return Change(
      id: try row.blob(0),
      record: record,
      origin: try row.optionalBlob(3),
      number: try row.int(4),
      isRemoved: try row.int(5) != 0
    )
  }

  /// Up to 256 rows after an ID, in the order of IDs.
  func page(of table: Table, _ number: Int64, after id: [UInt8]?) throws(SQLiteError) -> [Change] {
    try connection.all(
      """
      SELECT id, layout, record, origin, number, removed FROM \(table.rawValue)
        WHERE tab = ? AND id > ? ORDER BY id LIMIT 256
      """,
      // An encoded ID has at least one byte.
      [.integer(number), .blob(id ?? [])]
    ) { row throws(SQLiteError) in try Self.row(row) }
  }

  /// The row of an entity.
  func row(of table: Table, _ number: Int64, _ id: [UInt8]) throws(SQLiteError) -> Change? {
    try connection.first(
      """
      SELECT id, layout, record, origin, number, removed FROM \(table.rawValue) WHERE tab = ? AND id = ?
      """,
      [.integer(number), .blob(id)]
    ) { row throws(SQLiteError) in try Self.row(row) }
  }

  /// Adds or replaces a row of `staged`; a replaced one keeps its number.
  func stage(_ table: Int64, _ row: Change) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO staged (tab, id, number, origin, layout, record, removed) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (tab, id) DO UPDATE SET origin = coalesce(excluded.origin, nullif(origin, x'')),
          layout = excluded.layout, record = excluded.record, removed = max(removed, excluded.removed)
      """,
      [
        .integer(table), .blob(row.id), .integer(row.number), .blob(orNull: row.origin),
        row.record.map { .integer($0.layout) } ?? .null, .blob(orNull: row.record?.bytes),
        .integer(row.isRemoved ? 1 : 0),
      ]
    )
  }

  /// Whether a record of the table had this ID before the step and has another one now.
  func hasMoved(_ id: [UInt8], of table: Int64) throws(SQLiteError) -> Bool {
    try connection.first(
      // Without statistics SQLite would go through all rows of the table.
      """
      SELECT 1 FROM staged INDEXED BY staged_origin
        WHERE tab = ? AND origin = ? AND layout IS NOT NULL
      """,
      [.integer(table), .blob(id)]
    ) { _ throws(SQLiteError) in true } ?? false
  }

  /// Up to 256 records that have another ID than before, after an earlier ID and an ID now, in the order of
  /// both.
  func movedPage(
    _ table: Int64,
    after last: (origin: [UInt8], id: [UInt8])?
  ) throws(SQLiteError) -> [Change] {
    try connection.all(
      """
      SELECT id, layout, record, origin, number, removed FROM staged
        WHERE tab = ? AND origin IS NOT NULL AND (origin, id) > (?, ?) AND layout IS NOT NULL
        ORDER BY origin, id LIMIT 256
      """,
      [.integer(table), .blob(last?.origin ?? []), .blob(last?.id ?? [])]
    ) { row throws(SQLiteError) in try Self.row(row) }
  }

  /// Ends a step: what it has changed is what the next one starts from.
  func keepStaged() throws(SQLiteError) {
    try connection.execute("INSERT OR REPLACE INTO kept SELECT * FROM staged; DELETE FROM staged")
  }
}

/// The references that a step has added and removed.
extension MigrationStaging {
  /// Adds to how many references in a place lead to an ID.
  func noteReference(
    to id: [UInt8],
    of target: Int64,
    from place: Int64,
    _ count: Int64
  ) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO referring (target, id, place, count) VALUES (?, ?, ?, ?)
        ON CONFLICT (target, id, place) DO UPDATE SET count = count + excluded.count
      """,
      [.integer(target), .blob(id), .integer(place), .integer(count)]
    )
  }

  /// The tables that are referred to, with how many of their IDs are.
  func referredTables() throws(SQLiteError) -> [(target: Int64, count: Int)] {
    try connection.all(
      "SELECT target, count(DISTINCT id) FROM referring GROUP BY target ORDER BY target",
      []
    ) { row throws(SQLiteError) in (try row.int(0), Int(try row.int(1))) }
  }

  /// Up to 256 IDs after one that are referred to more often than before, and by how much.
  func referred(
    of target: Int64,
    after id: [UInt8]
  ) throws(SQLiteError) -> [(id: [UInt8], added: Int64)] {
    try connection.all(
      """
      SELECT id, sum(count) FROM referring WHERE target = ? AND id > ?
        GROUP BY id HAVING sum(count) > 0 ORDER BY id LIMIT 256
      """,
      [.integer(target), .blob(id)]
    ) { row throws(SQLiteError) in (try row.blob(0), try row.int(1)) }
  }

  /// The places that refer to an ID more often than before.
  func places(
    referringTo id: [UInt8],
    of target: Int64
  ) throws(SQLiteError) -> [(place: Int64, count: Int64)] {
    try connection.all(
      "SELECT place, count FROM referring WHERE target = ? AND id = ? AND count > 0 ORDER BY place",
      [.integer(target), .blob(id)]
    ) { row throws(SQLiteError) in (try row.int(0), try row.int(1)) }
  }

  /// Forgets all of them.
  func dropReferences() throws(SQLiteError) { try connection.execute("DELETE FROM referring") }
}

/// The new IDs of one table.
extension MigrationStaging {
  struct Moved {
    let old: [UInt8]
    let new: [UInt8]
    let record: (layout: Int64, bytes: [UInt8])?
  }

  /// Notes the new ID of a record; false if another record has it already.
  func note(_ old: [UInt8], isNow new: [UInt8], _ value: [UInt8]) throws(SQLiteError) -> Bool {
    do {
      try connection.run(
        "INSERT INTO moved (old, id, value) VALUES (?, ?, ?)",
        [.blob(old), .blob(new), .blob(value)]
      )
      return true
    } catch {
      guard error.code.primary == .constraint else { throw error }
      return false
    }
  }

  /// Notes the record that is to be stored under the new ID.
  func note(
    _ old: [UInt8],
    isStoredAs record: (layout: Int64, bytes: [UInt8])
  ) throws(SQLiteError) {
    try connection.run(
      "UPDATE moved SET layout = ?, record = ? WHERE old = ?",
      [.integer(record.layout), .blob(record.bytes), .blob(old)]
    )
  }

  /// The new ID of a record as a tagged value; nil for an ID that no record had.
  func newValue(of old: [UInt8]) throws(SQLiteError) -> [UInt8]? {
    try connection.first("SELECT value FROM moved WHERE old = ?", [.blob(old)]) {
      row throws(SQLiteError) in try row.blob(0)
    }
  }

  /// Up to 256 moved records after an old ID.
  func moved(after old: [UInt8]?) throws(SQLiteError) -> [Moved] {
    try connection.all(
      "SELECT old, id, layout, record FROM moved WHERE old > ? ORDER BY old LIMIT 256",
      [.blob(old ?? [])]
    ) { row throws(SQLiteError) in
      let layout = try row.optionalInt(2)
      var record: (Int64, [UInt8])?
      if let layout { record = (layout, try row.optionalBlob(3) ?? []) }
      return Moved(old: try row.blob(0), new: try row.blob(1), record: record)
    }
  }

  /// Forgets all new IDs.
  func dropMoved() throws(SQLiteError) { try connection.execute("DELETE FROM moved") }
}
