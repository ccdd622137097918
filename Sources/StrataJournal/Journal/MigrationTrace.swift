import StrataBase
import StrataRecords
package import StrataSchema

/// Which run of migrations has written a delta: its column `trace` says it, with a byte for the case and its numbers as
/// varints.
///
/// The name of a delta decides nothing, because a program may give its commits any name.
package enum MigrationTrace: Equatable, Sendable {
  /// A migration ran. The change is nil where no column was declared that it has changed.
  case up(Int, CatalogChange? = nil)
  /// A migration was taken back.
  case down(Int, CatalogChange)
  /// The data was made what it was at a revision.
  case revert(to: Revision, CatalogChange)

  /// What a run has changed in the catalog, besides what the catalog shows: that a migration which ran has a row.
  package struct CatalogChange: Equatable, Sendable {
    /// The rows that are gone from the ledger of the user's migrations.
    package var removed: [DataLedger.Entry]
    /// The numbers of the rows that came back, because a revert led to where they were.
    package var added: [Int]
    /// The columns that were declared before, by table, where some of them are gone or others.
    package var declared: [String: [DeclaredColumn]]

    package init(
      removed: [DataLedger.Entry] = [],
      added: [Int] = [],
      declared: [String: [DeclaredColumn]] = [:]
    ) {
      (self.removed, self.added, self.declared) = (removed, added, declared)
    }

    package var isEmpty: Bool { removed.isEmpty && added.isEmpty && declared.isEmpty }
  }

  /// What the run has changed in the catalog; nil for nothing.
  var change: CatalogChange? {
    switch self {
    case .up(_, let change): change
    case .down(_, let change), .revert(_, let change): change
    }
  }

  /// Whether it has the script of a migration.
  package var hasScript: Bool { change?.removed.contains { $0.script != nil } ?? false }

  /// The same without the scripts of migrations.
  package var withoutScripts: MigrationTrace {
    guard var change else { return self }
    for index in change.removed.indices { change.removed[index].script = nil }
    return switch self {
    case .up(let number, _): .up(number, change)
    case .down(let number, _): .down(number, change)
    case .revert(let revision, _): .revert(to: revision, change)
    }
  }

  /// The bytes in its deltas.
  ///
  /// - Throws: `RecordError` for a declared column that is beyond the limits of layouts.
  package var bytes: [UInt8] {
    get throws {
      var bytes: [UInt8]
      switch self {
      case .up(let number, let change): bytes = Self.bytes(change == nil ? 1 : 7, Int64(number))
      case .down(let number, _): bytes = Self.bytes(5, Int64(number))
      case .revert(let revision, _): bytes = Self.bytes(6, revision.number)
      }
      try change?.append(to: &bytes)
      return bytes
    }
  }

  private static func bytes(_ code: UInt8, _ numbers: Int64...) -> [UInt8] {
    var bytes = [code]
    for number in numbers { bytes.appendNumber(number) }
    return bytes
  }

  /// The trace of a delta; nil for one that no run of migrations has written.
  package init?(of delta: DeltaHeader) {
    guard let bytes = delta.trace else { return nil }
    self.init(bytes: bytes)
  }

  /// The trace of bytes in a delta; nil if they are others.
  package init?(bytes: [UInt8]) {
    do throws(RecordError) {
      let trace = try bytes[...].withCursor { cursor throws(RecordError) -> MigrationTrace? in
        let trace: MigrationTrace
        switch try cursor.byte() {
        case 1: trace = .up(Int(try cursor.number()))
        case 5:
          let number = Int(try cursor.number())
          guard let change = try CatalogChange(reading: &cursor) else { return nil }
          trace = .down(number, change)
        case 6:
          let revision = Revision(try cursor.number())
          guard let change = try CatalogChange(reading: &cursor) else { return nil }
          trace = .revert(to: revision, change)
        case 7:
          let number = Int(try cursor.number())
          guard let change = try CatalogChange(reading: &cursor) else { return nil }
          trace = .up(number, change)
        default: return nil
        }
        return cursor.remaining == 0 ? trace : nil
      }
      guard let trace else { return nil }
      self = trace
    } catch {
      return nil
    }
  }
}

/// The names of the deltas.
extension MigrationTrace {
  private static let migration = "migration "

  /// The name of its deltas, as `strata log` shows it.
  package func name(of migration: String = "") -> String {
    switch self {
    case .up: "\(Self.migration)\(migration)"
    case .down: "\(Self.migration)\(migration) taken back"
    case .revert(let revision, _): "revert without types to \(revision)"
    }
  }

  /// The name of the migration that ran, of the name of its delta.
  static func migration(of name: String) -> String {
    name.hasPrefix(migration) ? String(name.dropFirst(migration.count)) : name
  }
}

/// ```
/// change   varint count of the rows that are gone, row*, varint count of those that came back, each: varint number,
///          varint count of tables, table*
/// row      varint number, text name, 16 bytes of the checksum, varint applied, varint duration, text form,
///          varint revision, varint layout, flags (1 a script, 2 numbers that it replaces, 4 a way back),
///          the script: text, the numbers: varint first, varint last
/// table    text name, varint count of the columns that were declared, each: varint length of the layout, the layout,
///          1 if it must have a value or 0, varint since
/// ```
extension MigrationTrace.CatalogChange {
  fileprivate func append(to bytes: inout [UInt8]) throws {
    bytes.appendVarint(UInt64(removed.count))
    for row in removed { row.append(to: &bytes) }
    bytes.appendVarint(UInt64(added.count))
    for number in added { bytes.appendNumber(Int64(number)) }
    bytes.appendVarint(UInt64(declared.count))
    for (table, columns) in declared.sorted(by: { $0.key < $1.key }) {
      bytes.appendText(table)
      bytes.appendVarint(UInt64(columns.count))
      for column in columns { try column.append(to: &bytes) }
    }
  }

  /// Nil if a row or a column is none.
  fileprivate init?(reading cursor: inout ByteCursor) throws(RecordError) {
    self.init()
    for _ in 0..<(try cursor.count()) {
      guard let row = try DataLedger.Entry(reading: &cursor) else { return nil }
      removed.append(row)
    }
    for _ in 0..<(try cursor.count()) { added.append(Int(try cursor.number())) }
    for _ in 0..<(try cursor.count()) {
      let table = try cursor.text()
      var columns: [DeclaredColumn] = []
      for _ in 0..<(try cursor.count()) {
        guard let column = try DeclaredColumn(of: table, reading: &cursor) else { return nil }
        columns.append(column)
      }
      declared[table] = columns
    }
  }
}

extension DeclaredColumn {
  fileprivate func append(to bytes: inout [UInt8]) throws {
    let body = try Layout([field]).body
    bytes.appendVarint(UInt64(body.count))
    bytes += body
    bytes.append(isRequired ? 1 : 0)
    bytes.appendNumber(since.number)
  }

  /// Nil if the bytes are others.
  fileprivate init?(of table: String, reading cursor: inout ByteCursor) throws(RecordError) {
    let fields = try Layout(body: try cursor.bytes(try cursor.count())).fields
    guard fields.count == 1 else { return nil }
    let flag = try cursor.byte()
    self.init(
      table: table,
      field: fields[0],
      isRequired: flag == 1,
      since: Revision(try cursor.number())
    )
    guard flag < 2, (0...StoredNumber.last).contains(since.number) else { return nil }
  }
}

extension DataLedger.Entry {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.appendNumber(Int64(number))
    bytes.appendText(name)
    bytes += checksum.bytes
    bytes.appendNumber(applied)
    bytes.appendNumber(duration)
    bytes.appendText(form)
    bytes.appendNumber(revision)
    bytes.appendNumber(layout)
    bytes.append((script == nil ? 0 : 1) | (replaces == nil ? 0 : 2) | (isReversible ? 4 : 0))
    if let script { bytes.appendText(script) }
    if let replaces {
      bytes.appendNumber(Int64(replaces.lowerBound))
      bytes.appendNumber(Int64(replaces.upperBound))
    }
  }

  /// Nil if the bytes are others.
  fileprivate init?(reading cursor: inout ByteCursor) throws(RecordError) {
    let number = Int(try cursor.number())
    let name = try cursor.text()
    guard let checksum = Checksum(bytes: try cursor.bytes(16)) else { return nil }
    self.init(
      number: number,
      name: name,
      checksum: checksum,
      applied: try cursor.number(),
      duration: try cursor.number(),
      form: try cursor.text(),
      revision: try cursor.number(),
      layout: try cursor.number()
    )
    let flags = try cursor.byte()
    isReversible = flags & 4 != 0
    if flags & 1 != 0 { script = try cursor.text() }
    if flags & 2 != 0 {
      let (first, last) = (Int(try cursor.number()), Int(try cursor.number()))
      guard first <= last else { return nil }
      replaces = first...last
    }
    guard flags < 8 else { return nil }
  }
}

extension [UInt8] {
  /// Appends a number as a varint.
  fileprivate mutating func appendNumber(_ number: Int64) {
    appendVarint(UInt64(bitPattern: number))
  }
}

extension ByteCursor {
  /// A number that was written as a varint.
  fileprivate mutating func number() throws(RecordError) -> Int64 {
    Int64(bitPattern: try varint())
  }
}
