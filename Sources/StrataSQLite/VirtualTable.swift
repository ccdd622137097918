import CStrataSQLite

/// A read-only table whose rows come from a program (`sqlite.org/vtab.html`).
///
/// ```swift
/// try connection.addTable("numbers", Numbers())
/// let sum = try connection.first("SELECT sum(n) FROM numbers") { row in try row.int(0) }
/// ```
///
/// It has no CREATE statement: its name is known to every statement of the connection. Columns declared
/// HIDDEN are the arguments of a table-valued function, `numbers(1, 10)`, or columns that `*` leaves out.
package protocol VirtualTable: AnyObject {
  /// `CREATE TABLE x(…)`, which declares the columns; the name in it is ignored.
  var declaration: String { get }

  /// Chooses how to answer a query; false if these constraints cannot be answered at all.
  ///
  /// SQLite calls it several times for a statement, and takes the cheapest choice.
  func plan(_ request: IndexRequest) -> Bool

  /// A new cursor, which has no rows before its first `filter`.
  func makeCursor() throws -> any VirtualTableCursor
}

/// Goes through rows of a ``VirtualTable``.
///
/// An error that it throws ends the statement. ``Connection/takeTableError()`` returns it.
package protocol VirtualTableCursor: AnyObject {
  /// Starts again, with the number that `plan` chose and the values of the constraints it used.
  func filter(_ plan: Int, _ arguments: FilterArguments) throws
  /// Whether there is no current row.
  var isAtEnd: Bool { get }
  /// Advances to the next row.
  func next() throws
  /// Gives the value of a column of the current row; without a call it is NULL.
  func column(_ index: Int, _ result: ColumnResult) throws
  /// The number of the current row.
  var rowID: Int64 { get }
}

/// What a statement asks of a virtual table, and what the table answers.
///
/// Valid only inside the call that receives it.
package struct IndexRequest {
  /// A condition on a column.
  package struct Constraint {
    /// How the column is compared.
    package enum Operator: Sendable {
      case equal, greater, greaterOrEqual, less, lessOrEqual, other
    }

    /// The number of the condition.
    package let number: Int
    /// The column, or -1 for the number of the row.
    package let column: Int
    package let comparison: Operator
    /// Whether the value is known when the rows are read.
    package let isUsable: Bool
  }

  private let info: UnsafeMutablePointer<sqlite3_index_info>

  init(_ info: UnsafeMutablePointer<sqlite3_index_info>) { self.info = info }

  /// The conditions on the columns; all of them must hold.
  package var constraints: [Constraint] {
    (0..<Int(info.pointee.nConstraint)).map { number in
      let constraint = info.pointee.aConstraint[number]
      let comparison: Constraint.Operator =
        switch Int32(constraint.op) {
        case SQLITE_INDEX_CONSTRAINT_EQ: .equal
        case SQLITE_INDEX_CONSTRAINT_GT: .greater
        case SQLITE_INDEX_CONSTRAINT_GE: .greaterOrEqual
        case SQLITE_INDEX_CONSTRAINT_LT: .less
        case SQLITE_INDEX_CONSTRAINT_LE: .lessOrEqual
        default: .other
        }
      return Constraint(
        number: number,
        column: Int(constraint.iColumn),
        comparison: comparison,
        isUsable: constraint.usable != 0
      )
    }
  }

  /// The columns of ORDER BY.
  package var order: [(column: Int, isDescending: Bool)] {
    (0..<Int(info.pointee.nOrderBy)).map { index in
      (Int(info.pointee.aOrderBy[index].iColumn), info.pointee.aOrderBy[index].desc != 0)
    }
  }

  /// Whether a column may be read: exact for the first 63 columns.
  package func isUsed(_ column: Int) -> Bool {
    info.pointee.colUsed >> UInt64(min(column, 63)) & 1 == 1
  }

  /// The collation of a comparison, such as `BINARY`.
  package func collation(of constraint: Constraint) -> String {
    sqlite3_vtab_collation(info, Int32(constraint.number)).map { String(cString: $0) } ?? ""
  }

  /// Whether SQLite tests a condition again.
  package enum Test: Sendable {
    /// It does: the rows may be more than those that match.
    case again
    /// It does not: the rows are exactly those that match.
    case no
  }

  /// Passes the value of a condition to `filter`, as its argument of this number, from 0.
  package func pass(_ constraint: Constraint, as argument: Int, _ test: Test) {
    info.pointee.aConstraintUsage[constraint.number].argvIndex = Int32(argument + 1)
    info.pointee.aConstraintUsage[constraint.number].omit = test == .no ? 1 : 0
  }

  /// Whether a condition is an `IN`; all its values are then passed as one argument.
  ///
  /// Otherwise SQLite calls `filter` once for each value.
  package func passAllValues(of constraint: Constraint) -> Bool {
    guard sqlite3_vtab_in(info, Int32(constraint.number), -1) != 0 else { return false }
    return sqlite3_vtab_in(info, Int32(constraint.number), 1) != 0
  }

  /// Answers with a plan: the number that `filter` receives, and estimates.
  package func answer(plan: Int, cost: Double, rows: Int64, isUnique: Bool = false) {
    info.pointee.idxNum = Int32(truncatingIfNeeded: plan)
    info.pointee.estimatedCost = cost
    info.pointee.estimatedRows = max(1, rows)
    if isUnique { info.pointee.idxFlags = Int32(SQLITE_INDEX_SCAN_UNIQUE) }
  }

  /// Promises rows in the order of ORDER BY, so that SQLite does not sort them.
  package func promiseOrder() { info.pointee.orderByConsumed = 1 }
}

/// The values that a statement passes to `filter`.
///
/// Valid only inside the call that receives it.
package struct FilterArguments {
  private let values: UnsafeMutablePointer<OpaquePointer?>?
  /// How many there are.
  package let count: Int

  init(_ values: UnsafeMutablePointer<OpaquePointer?>?, count: Int32) {
    self.values = values
    self.count = Int(count)
  }

  /// The value of an argument.
  ///
  /// - Throws: `TextNotUTF8`.
  package func value(_ index: Int) throws -> Value {
    guard index < count, let value = values?[index] else { return .null }
    return try Self.copy(value)
  }

  /// All values of an argument that is the right side of `IN`.
  ///
  /// - Throws: `TextNotUTF8`.
  package func values(_ index: Int) throws -> [Value] {
    guard index < count, let list = values?[index] else { return [] }
    var found: [Value] = []
    var next: OpaquePointer?
    var status = sqlite3_vtab_in_first(list, &next)
    while status == SQLITE_OK, let value = next {
      found.append(try Self.copy(value))
      status = sqlite3_vtab_in_next(list, &next)
    }
    return found
  }

  /// A text of a statement is not valid UTF-8.
  package struct TextNotUTF8: Error, CustomStringConvertible {
    package var description: String { "a text in a condition is not valid UTF-8" }
  }

  private static func copy(_ value: OpaquePointer) throws -> Value {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let start = sqlite3_value_text(value)
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
      var text = String(decoding: bytes, as: UTF8.self)
      guard text.withUTF8({ $0.elementsEqual(bytes) }) else { throw TextNotUTF8() }
      return .text(text)
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(value)
      let count = Int(sqlite3_value_bytes(value))
      return .blob(Array(UnsafeRawBufferPointer(start: start, count: count)))
    default: return .null
    }
  }
}

/// Receives the value of a column.
///
/// Valid only inside the call that receives it. SQLite copies texts and blobs.
package struct ColumnResult {
  private let context: OpaquePointer?

  init(_ context: OpaquePointer?) { self.context = context }

  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  package func set(_ value: Double) { sqlite3_result_double(context, value) }

  package func set(_ text: String) {
    var text = text
    text.withUTF8 { set(textBytes: UnsafeRawBufferPointer($0)) }
  }

  /// A text, from bytes that are valid UTF-8.
  package func set(textBytes bytes: UnsafeRawBufferPointer) {
    strata_result_text(
      context,
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      UInt64(bytes.count)
    )
  }

  package func set(blobBytes bytes: UnsafeRawBufferPointer) {
    strata_result_blob(context, bytes.baseAddress, UInt64(bytes.count))
  }

  package func set(_ value: Value) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .integer(let value): set(value)
    case .real(let value): set(value)
    case .text(let value): set(value)
    case .blob(let value): value.withUnsafeBytes { set(blobBytes: $0) }
    }
  }

  /// The value of a column of a cursor's current row.
  package func set(_ column: Int, of cursor: RowCursor) {
    sqlite3_result_value(context, sqlite3_column_value(cursor.handle, Int32(column)))
  }
}
