import StrataColumns
import StrataSQLite

/// Which record each row of a copied table came from, as SQLite reports it while scripts run.
///
/// A row is known by its number, which is its ID where that is an integer of SQLite, and otherwise the place in which
/// it was copied. A row that was copied came from the record of its number. What else happens is noted, in the order
/// in which it happens: a row that is inserted is a new one, whatever had its number before; a row whose ID is
/// its number takes its origin along to another ID. SQLite reports the first by its update hook
/// (`sqlite.org/c3ref/update_hook.html`), the second by a trigger.
///
/// Rows that are removed or replaced, which SQLite does not report in all cases, need no note: they are those whose
/// records no row came from when the scripts have ended.
final class RowOrigins {
  /// The number of the last row that was copied.
  let last: Int64
  /// Whether nothing was noted of a row that was copied.
  private(set) var isEmpty = true
  /// The first error of noting, which the end of the statement throws.
  var failure: SQLiteError?

  private let table: Int64
  private let side: Connection
  private let find: RowCursor
  private let store: RowCursor

  /// Where rows are noted, for all tables of a script; a private database.
  static func prepare(_ side: Connection) throws(SQLiteError) {
    try side.execute(
      """
      CREATE TABLE origin(tab INTEGER, row INTEGER, origin INTEGER, PRIMARY KEY(tab, row)) WITHOUT ROWID;
      CREATE INDEX origin_of ON origin(tab, origin) WHERE origin IS NOT NULL;
      BEGIN
      """
    )
  }

  init(ofTable number: Int, upTo last: Int64, in side: Connection) throws(SQLiteError) {
    (table, self.last, self.side) = (Int64(number), last, side)
    find = try side.cursor("SELECT origin FROM origin WHERE tab = ? AND row = ?")
    store = try side.cursor("INSERT OR REPLACE INTO origin VALUES (?, ?, ?)")
  }

  /// Notes that a row was inserted.
  func add(_ row: Int64) throws(SQLiteError) {
    // Further rows are new, unless one was moved there.
    if row > last, isEmpty { return }
    try set(row, nil)
  }

  /// Notes that a row has another number.
  func move(_ row: Int64, to target: Int64) throws(SQLiteError) {
    try set(target, try origin(of: row))
    try set(row, nil)
  }

  private func set(_ row: Int64, _ origin: Int64?) throws(SQLiteError) {
    if row == origin { return try forget(row) }
    isEmpty = false
    try store.start([.integer(table), .integer(row), origin.map { .integer($0) } ?? .null])
    _ = try store.next()
    store.reset()
  }

  /// The number of the row that a row was copied as; nil for a new one.
  private func origin(of row: Int64) throws(SQLiteError) -> Int64? {
    try find.start([.integer(table), .integer(row)])
    defer { find.reset() }
    guard try find.next() else { return row <= last ? row : nil }
    return try find.withRow { row throws(SQLiteError) in try row.optionalInt(0) }
  }

  /// The rows that something is noted of, in their order; each call gives the next one.
  func notes() throws(SQLiteError) -> () throws(SQLiteError) -> (row: Int64, origin: Int64?)? {
    if isEmpty { return { () throws(SQLiteError) in nil } }
    let notes = try side.cursor("SELECT row, origin FROM origin WHERE tab = ? ORDER BY row")
    try notes.start([.integer(table)])
    return { () throws(SQLiteError) in
      guard try notes.next() else { return nil }
      return try notes.withRow { row throws(SQLiteError) in
        (try row.int(0), try row.optionalInt(1))
      }
    }
  }

  /// Forgets what is noted of a row, which is not there or has its number again.
  func forget(_ row: Int64) throws(SQLiteError) {
    try side.run("DELETE FROM origin WHERE tab = ? AND row = ?", [.integer(table), .integer(row)])
  }

  /// Forgets what is noted of rows that came from a record and are gone.
  func forgetMissing(_ isThere: (Int64) throws -> Bool) throws {
    var missing: [Int64] = []
    let notes = try notes()
    while let note = try notes() {
      if note.origin != nil, try !isThere(note.row) { missing.append(note.row) }
    }
    for row in missing { try forget(row) }
  }

  /// The number of the row that came from the record of a copied one and has another number; nil for none.
  func row(from origin: Int64) throws(SQLiteError) -> Int64? {
    if isEmpty { return nil }
    return try side.first(
      "SELECT row FROM origin INDEXED BY origin_of WHERE tab = ? AND origin = ?",
      [.integer(table), .integer(origin)]
    ) { row throws(SQLiteError) in try row.int(0) }
  }
}

/// How SQLite reports it.
extension RowOrigins {
  /// The function that triggers call, and how their names begin.
  static let function = "strata:moved"

  private var trigger: String { SQLName.quoted("strata:moved \(table)") }

  /// Lets a connection report the rows that it inserts into tables of these names, and those that triggers report.
  ///
  /// The closures are called while a statement runs, and must not use the connection.
  static func report(
    from connection: Connection,
    ofName: @escaping (UnsafePointer<CChar>) -> RowOrigins?,
    ofNumber: @escaping (Int) -> RowOrigins?
  ) throws(SQLiteError) {
    try connection.setInsertionHook { name, row in
      guard let origins = ofName(name), origins.failure == nil else { return }
      do throws(SQLiteError) {
        try origins.add(row)
      } catch {
        origins.failure = error
      }
    }
    try connection.addFunction(function, arguments: 3) { values throws(SQLiteError) in
      try ofNumber(Int(values[0]))?.move(values[1], to: values[2])
    }
  }

  /// Reports the rows of a table that get other numbers from now on.
  func start(on table: String, id column: String, in connection: Connection) throws(SQLiteError) {
    let id = SQLName.quoted(column)
    try connection.execute(
      """
      CREATE TEMP TRIGGER \(trigger) AFTER UPDATE OF \(id), rowid, _rowid_, oid ON main.\(SQLName.quoted(table))
        WHEN old.\(id) <> new.\(id)
        BEGIN SELECT \(SQLName.quoted(Self.function))(\(self.table), old.\(id), new.\(id)); END
      """
    )
  }

  /// Ends that, until the next start; does nothing if the table is gone.
  func stop(in connection: Connection) throws(SQLiteError) {
    try connection.execute("DROP TRIGGER IF EXISTS temp.\(trigger)")
  }
}
