package import StrataJournal
package import StrataRecords
package import StrataSQLite

/// The columns of one entity at a time, each decoded when it is asked for.
///
/// Column 0 is the ID, the fields follow, and the last one is the whole record as JSON.
package struct EntityReader {
  private let columns: EntityColumns
  private let layoutOf: (Int64) throws -> Layout
  /// The value of a record with masked values; nil for any other.
  private var masked: (_ layout: Int64, ArraySlice<UInt8>) throws -> RecordValue? = { _, _ in nil }
  /// What is shown in place of the entity.
  private var shown = Shown.unread

  private enum Shown {
    case unread
    case asStored
    case masked(RecordValue)
  }
  /// For each column its number among the used fields.
  private var numbers: [Int]
  private var names: [String] = []
  private var lone: Int?
  private var fieldsOfLayout: [Int64: RecordFields] = [:]
  private var current: (layout: Int64, fields: RecordFields)?
  private var places: [RecordFields.Place]
  private var isLocated = false
  /// The entity; without one all columns are NULL.
  package private(set) var id: ArraySlice<UInt8>?
  private var record: ArraySlice<UInt8>?
  private var layout: Int64 = 0

  /// - Parameter used: The columns that are read, counted from the ID.
  /// - Parameter layoutOf: The layout of a number.
  package init(
    _ columns: EntityColumns,
    used: some Sequence<Int>,
    layoutOf: @escaping (Int64) throws -> Layout
  ) {
    self.columns = columns
    self.layoutOf = layoutOf
    numbers = [Int](repeating: -1, count: columns.fields.count + 2)
    for column in used where column > 0 && column <= columns.fields.count {
      if columns.lone == column - 1 { lone = names.count }
      numbers[column] = names.count
      names.append(columns.fields[column - 1])
    }
    places = [RecordFields.Place](repeating: .none, count: names.count)
  }

  /// The columns of entities that a query reads.
  package init(_ columns: EntityColumns, _ catalog: LayoutCatalog, used: some Sequence<Int>) {
    self.init(columns, used: used) { try catalog.layout($0) }
    guard let mask = catalog.mask else { return }
    masked = { layout, record in
      guard let table = catalog.table(of: layout), mask.tables.contains(table) else { return nil }
      return try catalog.value(layout, record, of: table)
    }
  }

  /// Moves to an entity, or to one of which only the ID is known.
  package mutating func move(
    to id: ArraySlice<UInt8>?,
    layout: Int64 = 0,
    record: ArraySlice<UInt8>? = nil
  ) {
    self.id = id
    self.layout = layout
    self.record = record
    (isLocated, shown) = (false, .unread)
  }

  package mutating func move(to entity: StoredEntity) {
    move(to: entity.id, layout: entity.layout, record: entity.record)
  }

  package mutating func set(_ column: Int, _ result: ColumnResult) throws {
    if let value = try maskedValue(column) { return result.set(value) }
    guard let (content, record) = try content(column) else { return result.set(try value(column)) }
    ColumnValue.set(content, in: record, of: columns.columns[column].kind, result)
  }

  package mutating func value(_ column: Int) throws -> Value {
    if let value = try maskedValue(column) { return value }
    if let (content, record) = try content(column) {
      return ColumnValue.value(content, in: record, of: columns.columns[column].kind)
    }
    if column == 0 {
      return try id.map { try ColumnValue.value(ofID: $0, of: columns.columns[0].kind) } ?? .null
    }
    guard let record, column == columns.columns.count else { return .null }
    let whole = try RecordValue(record: record, layout: try layoutOf(layout))
    return .text(whole.json())
  }

  /// The value of a column of an entity with masked values, as a query shows it; nil for the ID, and for any other entity.
  private mutating func maskedValue(_ column: Int) throws -> Value? {
    guard let record, column > 0 else { return nil }
    if case .unread = shown { shown = try masked(layout, record).map { .masked($0) } ?? .asStored }
    guard case .masked(let value) = shown else { return nil }
    if column == columns.columns.count { return .text(value.json()) }
    let field = columns.fields[column - 1]
    let isLone = columns.lone == column - 1 && value.members == nil
    guard let part = isLone ? value : value[field] else { return .null }
    let composed = columns.references[column - 1].map { part.composed(at: $0) } ?? part
    return ColumnValue.value(composed, of: columns.columns[column].kind)
  }

  /// What the field of a column holds; nil for a column that is not a field in use.
  private mutating func content(
    _ column: Int
  ) throws -> (RecordFields.Content, ArraySlice<UInt8>)? {
    guard let record, numbers[column] >= 0 else { return nil }
    let fields = try fields()
    if !isLocated {
      try fields.locate(in: record, &places)
      isLocated = true
    }
    let content = try fields.content(at: places[numbers[column]], in: record)
    guard let references = columns.references[column - 1] else { return (content, record) }
    return Self.composed(content, in: record, references)
  }

  /// A reference as IDs are stored, also where a file has it as it was given.
  private static func composed(
    _ content: RecordFields.Content,
    in record: ArraySlice<UInt8>,
    _ references: ReferencedTables
  ) -> (RecordFields.Content, ArraySlice<UInt8>) {
    switch (content, references) {
    case (.text(let range), .table):
      let isASCII = record[range].withUnsafeBytes(\.isASCII)
      if isASCII { return (content, record) }
      let text = Array(String(decoding: record[range], as: UTF8.self).composed.utf8)
      return (.text(0..<text.count), text[...])
    case (.nested(let value), _): return (.nested(value.composed(at: references)), record)
    default: return (content, record)
    }
  }

  private mutating func fields() throws -> RecordFields {
    if let current, current.layout == layout { return current.fields }
    let fields: RecordFields
    if let known = fieldsOfLayout[layout] {
      fields = known
    } else {
      fields = RecordFields(names, in: try layoutOf(layout), lone: lone)
      fieldsOfLayout[layout] = fields
    }
    current = (layout, fields)
    return fields
  }
}
