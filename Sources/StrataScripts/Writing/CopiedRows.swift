import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

/// The rows of a copied table when the scripts have ended, and what became of its records.
///
/// First come the records in their order, with those that have left their IDs, then those that have come to other IDs,
/// then the rows that are new.
struct CopiedRows {
  private(set) var writer: RowWriter
  private let result: EntityTables.Result
  private let connection: Connection
  private let origins: RowOrigins?
  private let hasRowNumbers: Bool
  private var records: CopiedRecords
  private var ids: RowIDs
  private var moved = MovedRecords()

  /// Nil for a table that was not copied.
  init?(of result: EntityTables.Result, in connection: Connection, _ writer: RowWriter) throws {
    guard let table = result.table else { return nil }
    (self.result, self.connection, self.writer) = (result, connection, writer)
    (origins, hasRowNumbers) = (table.rowOrigins, table.hasRowNumbers)
    ids = try RowIDs(of: result, in: connection)
    if let origins { try origins.forgetMissing { [ids] in try ids.id(ofRow: $0) != nil } }
    records = try CopiedRecords(table)
  }

  /// O(rows).
  mutating func forEachChange(_ body: (RecordChange) throws -> Void) throws {
    try forEachChangeOfRecords(body)
    guard let origins else { return }
    try moved.forEach(in: origins) { id, change in
      try body(RecordChange(table: result.storedName, id: id, change: change))
    }
    let notes = try origins.notes()
    while let note = try notes() {
      if note.origin == nil { try add(note.row, body) }
    }
    try forEachRow(after: origins.last) { try $0.add($1, body) }
  }

  private mutating func forEachChangeOfRecords(_ body: (RecordChange) throws -> Void) throws {
    let rows = try connection.cursor(
      """
      SELECT \(result.row), \(result.columnList) FROM \(result.place) WHERE \(result.row) <= ?
        ORDER BY \(result.row)
      """
    )
    try rows.start([.integer(origins?.last ?? .max)])
    let notes = try origins?.notes()
    var note = try notes?()
    while try rows.next() {
      let row = try rows.withRow { row throws(SQLiteError) in try row.int(0) }
      while let noted = note, noted.row < row { note = try notes?() }
      // It is a new row, or came from another record.
      if note?.row == row { continue }
      try skipRecords(before: row, body)
      guard let record = records.current, record.row == row else {
        throw CorruptionError("row \(row) of \(result.name) came from no record")
      }
      let former = Array(record.entity.id)
      let change: RecordChange.Change?
      if origins != nil, !hasRowNumbers, let id = try ids.newID(ofRow: row, besides: former) {
        // The row has kept its number, and has another ID.
        change = try leave(record.entity, to: id, row)
      } else {
        change = try writer.change(in: rows, from: 1, of: record.entity)
      }
      try records.advance()
      if let change {
        try body(RecordChange(table: result.storedName, id: former, change: change))
      }
    }
    try skipRecords(before: nil, body)
  }

  /// Passes on the records whose rows are not at their places any more.
  private mutating func skipRecords(
    before row: Int64?,
    _ body: (RecordChange) throws -> Void
  ) throws {
    while let record = records.current, row.map({ record.row < $0 }) ?? true {
      var change = RecordChange.Change.remove
      if let target = try origins?.row(from: record.row), let id = try ids.id(ofRow: target) {
        change = try leave(record.entity, to: id, target)
      }
      let former = Array(record.entity.id)
      try records.advance()
      try body(RecordChange(table: result.storedName, id: former, change: change))
    }
  }

  /// Keeps the record of a row with another ID until all records were read.
  private mutating func leave(
    _ entity: StoredEntity,
    to id: [UInt8],
    _ row: Int64
  ) throws -> RecordChange.Change {
    guard let origins else { return .remove }
    try ids.check(id, ofRow: row)
    let former = Array(entity.id)
    let change = try writer.change(
      toRow: row,
      isCopied: true,
      id: id,
      formerID: former,
      from: (entity.layout, entity.record)
    )
    guard case .put(let layout, let record)? = change else {
      throw CorruptionError("\(result.name) \(EncodedID.text(of: id[...])) came without its record")
    }
    try moved.keep(record, layout, id, former, in: origins)
    return .leave
  }

  /// Passes on a new row, if it is there still.
  private mutating func add(_ row: Int64, _ body: (RecordChange) throws -> Void) throws {
    guard let id = try ids.id(ofRow: row) else { return }
    try ids.check(id, ofRow: row)
    let change = try writer.change(toRow: row, isCopied: false, id: id, from: nil)
    if let change { try body(RecordChange(table: result.storedName, id: id, change: change)) }
  }

  /// Calls a closure with the numbers of further rows that nothing is noted of.
  private mutating func forEachRow(
    after last: Int64,
    _ body: (inout CopiedRows, Int64) throws -> Void
  ) throws {
    let rows = try connection.cursor(
      "SELECT \(result.row) FROM \(result.place) WHERE \(result.row) > ? ORDER BY \(result.row)"
    )
    try rows.start([.integer(last)])
    let notes = try origins?.notes()
    var note = try notes?()
    while try rows.next() {
      let row = try rows.withRow { row throws(SQLiteError) in try row.int(0) }
      while let noted = note, noted.row < row { note = try notes?() }
      if note?.row != row { try body(&self, row) }
    }
  }
}

/// The records of a copied table, with the numbers that their rows had.
private struct CopiedRecords {
  private let next: () throws -> StoredEntity?
  private let hasRowNumbers: Bool
  private var count: Int64 = 0
  private(set) var current: (entity: StoredEntity, row: Int64)?

  init(_ table: EntityTables.Table) throws {
    next = try table.records.start()
    hasRowNumbers = table.hasRowNumbers
    try advance()
  }

  mutating func advance() throws {
    current = nil
    guard let entity = try next() else { return }
    count += 1
    current = (entity, count)
    guard hasRowNumbers else { return }
    guard case .int(let id, _) = try EncodedID.value(of: Array(entity.id)) else {
      throw CorruptionError("\(entity.table) \(EncodedID.text(of: entity.id)) has no integer ID")
    }
    current = (entity, id)
  }
}

/// Records that have come to other IDs, which are passed on when all records of their table were read.
private struct MovedRecords {
  /// The layouts of the records, by the numbers that stand for them.
  private var layouts: [Layout] = []

  mutating func keep(
    _ record: [UInt8],
    _ layout: Layout,
    _ id: [UInt8],
    _ former: [UInt8],
    in origins: RowOrigins
  ) throws {
    let place = layouts.firstIndex(of: layout) ?? layouts.count
    if place == layouts.count { layouts.append(layout) }
    try origins.keep(.init(former: former, id: id, layout: Int64(place), record: record))
  }

  func forEach(
    in origins: RowOrigins,
    _ body: ([UInt8], RecordChange.Change) throws -> Void
  ) throws {
    try origins.forEachMoved { moved in
      try body(moved.id, .move(layouts[Int(moved.layout)], moved.record, from: moved.former))
    }
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
