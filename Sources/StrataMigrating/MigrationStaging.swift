import StrataSQLite

/// The operations of a run of migrations, in a database of its own that uses the disk beyond 16 MB.
///
/// A row stands for a place, which is an ID in a table. A row of `staged` is what the present step does there: it has the
/// record that is there now, or none, and where that came from. `kept` has what earlier steps of the run have left. All
/// SQL of a run is here.
struct MigrationStaging {
  typealias Record = (layout: Int64, bytes: [UInt8])

  /// Where the record of a place came from.
  enum Origin: Equatable {
    /// It is the one that had this ID before the step, if there was one.
    case place
    /// It is the one that had another ID.
    case moved(from: [UInt8])
    /// It is new.
    case new
  }

  struct Change {
    let id: [UInt8]
    /// Nil where no record is there any more.
    let record: Record?
    let origin: Origin
    /// When the row was added.
    let number: Int64
    /// Whether the step has removed the record that had this ID, though another one may have it now.
    let isRemoved: Bool

    /// The ID that the record had before, if that was another one.
    var formerID: [UInt8]? { origin.formerID }
  }

  enum Table: String {
    case kept, staged
  }

  private let connection: Connection

  init() throws(SQLiteError) {
    connection = try .temporary(cacheBytes: 16 << 20)
    try connection.setTemporaryFiles(cacheBytes: 16 << 20)
    // An origin is null for the same place, and for a record that is added.
    try connection.execute(
      """
      CREATE TABLE kept(tab INTEGER, id BLOB, number INTEGER, origin BLOB, layout INTEGER, record BLOB,
        added INTEGER, removed INTEGER, PRIMARY KEY(tab, id)) WITHOUT ROWID;
      CREATE TABLE staged(tab INTEGER, id BLOB, number INTEGER, origin BLOB, layout INTEGER, record BLOB,
        added INTEGER, removed INTEGER, PRIMARY KEY(tab, id)) WITHOUT ROWID;
      CREATE INDEX staged_origin ON staged(tab, origin) WHERE origin IS NOT NULL;
      CREATE TABLE moved(old BLOB PRIMARY KEY, id BLOB NOT NULL UNIQUE, value BLOB, layout INTEGER, record BLOB,
        origin BLOB, added INTEGER) WITHOUT ROWID;
      CREATE TABLE referring(target INTEGER, id BLOB, place INTEGER, count INTEGER,
        PRIMARY KEY(target, id, place)) WITHOUT ROWID;
      BEGIN
      """
    )
  }

  /// Reads the columns `id, layout, record, origin, added, number, removed`.
  private static func row(_ row: borrowing Row) throws(SQLiteError) -> Change {
    Change(
      id: try row.blob(0),
      record: try record(row, 1, 2),
      origin: Origin(try row.optionalBlob(3), isNew: try row.int(4) != 0),
      number: try row.int(5),
      isRemoved: try row.int(6) != 0
    )
  }

  private static func record(
    _ row: borrowing Row,
    _ layout: Int,
    _ bytes: Int
  ) throws(SQLiteError) -> Record? {
    guard let layout = try row.optionalInt(layout) else { return nil }
    return (layout, try row.optionalBlob(bytes) ?? [])
  }

  /// The rows of a table up to a number, in the order of their IDs.
  func rows(
    of table: Table,
    _ number: Int64,
    upTo last: Int64 = .max
  ) -> Peekable<Change> {
    Peekable(pages: { after in
      try connection.all(
        """
        SELECT id, layout, record, origin, added, number, removed FROM \(table.rawValue)
          WHERE tab = ? AND id > ? AND number <= ? ORDER BY id LIMIT 256
        """,
        // An encoded ID has at least one byte.
        [.integer(number), .blob(after?.id ?? []), .integer(last)]
      ) { row throws(SQLiteError) in try Self.row(row) }
    })
  }

  /// The records of a table that had another ID before the step, in the order of those IDs.
  func movedRows(of number: Int64) -> Peekable<Change> {
    Peekable(pages: { after in
      try connection.all(
        // Without statistics SQLite would go through all rows of the table.
        """
        SELECT id, layout, record, origin, added, number, removed FROM staged INDEXED BY staged_origin
          WHERE tab = ? AND origin IS NOT NULL AND (origin, id) > (?, ?) AND layout IS NOT NULL
          ORDER BY origin, id LIMIT 256
        """,
        [.integer(number), .blob(after?.formerID ?? []), .blob(after?.id ?? [])]
      ) { row throws(SQLiteError) in try Self.row(row) }
    })
  }

  /// The row of a place.
  func row(of table: Table, _ number: Int64, _ id: [UInt8]) throws(SQLiteError) -> Change? {
    try connection.first(
      """
      SELECT id, layout, record, origin, added, number, removed FROM \(table.rawValue) WHERE tab = ? AND id = ?
      """,
      [.integer(number), .blob(id)]
    ) { row throws(SQLiteError) in try Self.row(row) }
  }

  /// The highest ID of a place in a table below a bound; nil for none.
  func highestID(
    of table: Table,
    _ number: Int64,
    before bound: [UInt8]
  ) throws(SQLiteError) -> [UInt8]? {
    let highest = try connection.first(
      "SELECT max(id) FROM \(table.rawValue) WHERE tab = ? AND id < ?",
      [.integer(number), .blob(bound)]
    ) { row throws(SQLiteError) in try row.optionalBlob(0) }
    return highest ?? nil
  }

  /// Puts a record at a place; a row that is there keeps its number, and its origin if none is given.
  func put(
    _ record: Record,
    at id: [UInt8],
    of table: Int64,
    from origin: Origin?,
    number: Int64
  ) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO staged (tab, id, number, origin, added, layout, record, removed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0)
        ON CONFLICT (tab, id) DO UPDATE SET origin = iif(?8, origin, excluded.origin),
          added = iif(?8, added, excluded.added), layout = excluded.layout, record = excluded.record
      """,
      [
        .integer(table), .blob(id), .integer(number), .blob(orNull: origin?.formerID),
        .integer(origin == .new ? 1 : 0), .integer(record.layout), .blob(record.bytes),
        .integer(origin == nil ? 1 : 0),
      ]
    )
  }

  /// Why a place has no record any more.
  enum Reason: Int64 {
    /// The record that is there has another ID.
    case moved = 0
    /// It is removed.
    case removed = 1
  }

  /// Clears a place: what is put there afterwards is new unless it says otherwise.
  func clear(
    _ id: [UInt8],
    of table: Int64,
    _ reason: Reason,
    number: Int64
  ) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO staged (tab, id, number, added, removed) VALUES (?, ?, ?, 1, ?)
        ON CONFLICT (tab, id) DO UPDATE SET origin = NULL, added = 1, layout = NULL, record = NULL,
          removed = max(removed, excluded.removed)
      """,
      [.integer(table), .blob(id), .integer(number), .integer(reason.rawValue)]
    )
  }

  /// The same for the record that had the ID before the step, unless another one is there already.
  func clearFormer(
    _ id: [UInt8],
    of table: Int64,
    _ reason: Reason,
    number: Int64
  ) throws(SQLiteError) {
    try connection.run(
      """
      INSERT INTO staged (tab, id, number, added, removed) VALUES (?, ?, ?, 1, ?)
        ON CONFLICT (tab, id) DO UPDATE SET
          layout = iif(added OR origin IS NOT NULL, layout, NULL),
          record = iif(added OR origin IS NOT NULL, record, NULL),
          added = origin IS NULL, removed = max(removed, excluded.removed)
      """,
      [.integer(table), .blob(id), .integer(number), .integer(reason.rawValue)]
    )
  }

  /// Ends a step: what it has changed is what the next one starts from.
  func keepStaged() throws(SQLiteError) {
    try connection.execute("INSERT OR REPLACE INTO kept SELECT * FROM staged; DELETE FROM staged")
  }
}

extension MigrationStaging.Origin {
  fileprivate init(_ formerID: [UInt8]?, isNew: Bool) {
    self = isNew ? .new : formerID.map { .moved(from: $0) } ?? .place
  }

  /// The ID that the record had before, if that was another one.
  var formerID: [UInt8]? { if case .moved(let id) = self { id } else { nil } }
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

  /// The references, by what they lead to and then by their places.
  func references() -> Peekable<(target: Int64, id: [UInt8], place: Int64, count: Int64)> {
    Peekable(pages: { after in
      try connection.all(
        """
        SELECT target, id, place, count FROM referring WHERE (target, id, place) > (?, ?, ?)
          ORDER BY target, id, place LIMIT 256
        """,
        [.integer(after?.target ?? 0), .blob(after?.id ?? []), .integer(after?.place ?? 0)]
      ) { row throws(SQLiteError) in
        (try row.int(0), try row.blob(1), try row.int(2), try row.int(3))
      }
    })
  }

  /// Forgets all of them.
  func dropReferences() throws(SQLiteError) { try connection.execute("DELETE FROM referring") }
}

/// The new IDs of one table.
extension MigrationStaging {
  /// Notes the new ID of a record as it is now; false if another record has it already.
  ///
  /// - Parameter value: The new ID as a tagged value.
  func note(
    _ old: [UInt8],
    isNow new: [UInt8],
    _ value: [UInt8],
    _ record: Record,
    from origin: Origin
  ) throws(SQLiteError) -> Bool {
    do {
      try connection.run(
        "INSERT INTO moved (old, id, value, layout, record, origin, added) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
          .blob(old), .blob(new), .blob(value), .integer(record.layout), .blob(record.bytes),
          .blob(orNull: origin.formerID), .integer(origin == .new ? 1 : 0),
        ]
      )
      return true
    } catch {
      guard error.code.primary == .constraint else { throw error }
      return false
    }
  }

  /// The new ID of a record as a tagged value; nil for an ID that no record had.
  func newValue(of old: [UInt8]) throws(SQLiteError) -> [UInt8]? {
    try connection.first("SELECT value FROM moved WHERE old = ?", [.blob(old)]) {
      row throws(SQLiteError) in try row.blob(0)
    }
  }

  /// The records that get new IDs, by the old ones in their order, as they were noted.
  func moved() -> Peekable<(old: [UInt8], record: Record, origin: Origin)> {
    Peekable(pages: { after in
      try connection.all(
        "SELECT old, layout, record, origin, added FROM moved WHERE old > ? ORDER BY old LIMIT 256",
        [.blob(after?.old ?? [])]
      ) { row throws(SQLiteError) in
        (
          try row.blob(0), (try row.int(1), try row.blob(2)),
          Origin(try row.optionalBlob(3), isNew: try row.int(4) != 0)
        )
      }
    })
  }

  /// Forgets all new IDs.
  func dropMoved() throws(SQLiteError) { try connection.execute("DELETE FROM moved") }
}
