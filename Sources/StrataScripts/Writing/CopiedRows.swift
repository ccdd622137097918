import StrataColumns
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite

/// The rows of a copied table when the scripts have ended, and what became of its records.
struct CopiedRows {
  private(set) var writer: RowWriter
  private let result: EntityTables.Result
  private let connection: Connection
  private let origins: RowOrigins?
  private let hasRowNumbers: Bool
  /// The records, with the numbers that their rows had.
  private var records: Peekable<(entity: StoredEntity, row: Int64)>
  private var ids: RowIDs

  /// Nil for a table that was not copied.
  init?(of result: EntityTables.Result, in connection: Connection, _ writer: RowWriter) throws {
    guard let table = result.table else { return nil }
    (self.result, self.connection, self.writer) = (result, connection, writer)
    (origins, hasRowNumbers) = (table.rowOrigins, table.hasRowNumbers)
    ids = try RowIDs(of: result, in: connection)
    if let origins { try origins.forgetMissing { [ids] in try ids.id(ofRow: $0) != nil } }
    records = try Self.records(of: table)
  }

  private static func records(
    of table: EntityTables.Table
  ) throws -> Peekable<(entity: StoredEntity, row: Int64)> {
    let next = try table.records.start()
    var count: Int64 = 0
    return Peekable {
      guard let entity = try next() else { return nil }
      count += 1
      if !table.hasRowNumbers { return (entity, count) }
      guard case .int(let id, _) = try EncodedID.value(of: Array(entity.id)) else {
        throw CorruptionError("\(entity.table) \(EncodedID.text(of: entity.id)) has no integer ID")
      }
      return (entity, id)
    }
  }

  /// Calls a closure with what became of each record, in their order, and with each new row; O(rows).
  mutating func forEachChange(_ body: (RecordChange) throws -> Void) throws {
    let rows = try connection.cursor(
      "SELECT \(result.row), \(result.columnList) FROM \(result.place) ORDER BY \(result.row)"
    )
    try rows.start()
    let last = origins?.last ?? .max
    let notes = try origins?.notes()
    var note = try notes?()
    while try rows.next() {
      let row = try rows.withRow { row throws(SQLiteError) in try row.int(0) }
      while let noted = note, noted.row < row { note = try notes?() }
      let isNoted = note?.row == row
      if isNoted || row > last {
        // It is a new row, or came from another record.
        try skipRecords(body) { $0 <= row }
        if !isNoted || note?.origin == nil { try add(row, body) }
        continue
      }
      try skipRecords(body) { $0 < row }
      guard let record = try records.next(if: { $0.row == row }) else {
        throw CorruptionError("row \(row) of \(result.name) came from no record")
      }
      let former = Array(record.entity.id)
      if origins != nil, !hasRowNumbers, let id = try ids.newID(ofRow: row, besides: former) {
        // The row has kept its number, and has another ID.
        try move(record.entity, to: id, row, body)
      } else if let put = try writer.record(in: rows, from: 1, of: record.entity) {
        try pass(put, former, from: former, body)
      }
    }
    try skipRecords(body) { _ in true }
  }

  /// Passes on records whose rows are not at their places any more.
  private mutating func skipRecords(
    _ body: (RecordChange) throws -> Void,
    while isSkipped: (Int64) -> Bool
  ) throws {
    while let record = try records.next(if: { isSkipped($0.row) }) {
      if let row = try origins?.row(from: record.row), let id = try ids.id(ofRow: row) {
        try move(record.entity, to: id, row, body)
      } else {
        let id = Array(record.entity.id)
        try body(RecordChange(table: result.storedName, id: id, record: nil, former: id))
      }
    }
  }

  /// Passes on a record whose row has another ID.
  private mutating func move(
    _ entity: StoredEntity,
    to id: [UInt8],
    _ row: Int64,
    _ body: (RecordChange) throws -> Void
  ) throws {
    try ids.check(id, ofRow: row)
    let former = Array(entity.id)
    let put = try writer.record(
      ofRow: row,
      isCopied: true,
      id: id,
      formerID: former,
      from: (entity.layout, entity.record)
    )
    guard let put else {
      throw CorruptionError("\(result.name) \(EncodedID.text(of: id[...])) came without its record")
    }
    try pass(put, id, from: former, body)
  }

  /// Passes on a new row, if it is there still.
  private mutating func add(_ row: Int64, _ body: (RecordChange) throws -> Void) throws {
    guard let id = try ids.id(ofRow: row) else { return }
    try ids.check(id, ofRow: row)
    let put = try writer.record(ofRow: row, isCopied: false, id: id, from: nil)
    if let put { try pass(put, id, from: nil, body) }
  }

  private func pass(
    _ put: RowWriter.Record,
    _ id: [UInt8],
    from former: [UInt8]?,
    _ body: (RecordChange) throws -> Void
  ) throws {
    try body(RecordChange(table: result.storedName, id: id, record: put, former: former))
  }
}

/// The IDs of rows that scripts have inserted or moved; SQLite takes one for two if it is written in two ways.
private struct RowIDs {
  private let result: EntityTables.Result
  private let ofRow: RowCursor
  private let rowOf: RowCursor
  private var rendered: Set<[UInt8]> = []

  init(of result: EntityTables.Result, in connection: Connection) throws(SQLiteError) {
    self.result = result
    ofRow = try connection.cursor(
      "SELECT \(result.idColumn) FROM \(result.place) WHERE \(result.row) = ?"
    )
    rowOf = try connection.cursor("SELECT 1 FROM \(result.place) WHERE \(result.idColumn) = ?")
  }

  private func value(ofRow row: Int64) throws(SQLiteError) -> Value? {
    try ofRow.start([.integer(row)])
    defer { ofRow.reset() }
    guard try ofRow.next() else { return nil }
    return try ofRow.withRow { row throws(SQLiteError) in try row.value(0) }
  }

  /// The encoded ID of a row; nil if it is gone.
  func id(ofRow row: Int64) throws -> [UInt8]? {
    try value(ofRow: row).map {
      try EntityTables.encode($0, result.columns[result.id], result.name)
    }
  }

  /// The encoded ID of a row if it is another one than that of its record; nil otherwise.
  func newID(ofRow row: Int64, besides former: [UInt8]) throws -> [UInt8]? {
    let stored = try ColumnValue.value(ofID: former[...], of: result.columns[result.id].kind)
    if try value(ofRow: row) == stored { return nil }
    return try id(ofRow: row).flatMap { $0 == former ? nil : $0 }
  }

  /// Refuses the ID of a row that another one has.
  mutating func check(_ id: [UInt8], ofRow row: Int64) throws {
    let stored = try ColumnValue.value(ofID: id[...], of: result.columns[result.id].kind)
    if try value(ofRow: row) == stored { return }
    try rowOf.start([stored])
    defer { rowOf.reset() }
    guard try rowOf.next() || !rendered.insert(id).inserted else { return }
    throw EntityTableError.sameID(table: result.storedName, id: EncodedID.text(of: id[...]))
  }
}
