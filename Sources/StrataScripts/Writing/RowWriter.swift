import Foundation
import StrataColumns
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite

/// Where a column of a table comes from: a field of its records.
struct ColumnOrigin {
  /// Its number in the table that was made from the records; 0 is the ID.
  let number: Int
  /// The name that it had there.
  let column: String
  /// Nil for the ID.
  let field: String?
  let kind: ColumnKind
  /// The kind of the field in the newest layout that has it.
  let stored: Layout.Kind?
  /// What the field refers to.
  let references: ReferencedTables?

  init(_ number: Int, _ columns: EntityColumns, _ records: EntityRecords) {
    let field = number == 0 ? nil : columns.fields[number - 1]
    self.number = number
    self.field = field
    column = columns.columns[number].name
    kind = columns.columns[number].kind
    references = number == 0 ? nil : columns.references[number - 1]
    stored =
      records.ordered.reversed().lazy
      .compactMap { layout in layout.fields.first { $0.name == field }?.kind }.first
  }
}

/// Turns rows that SQL has left back into records; see ``EntityTables`` for the rules.
struct RowWriter {
  /// The bytes of a record, with the layout to read them with.
  typealias Record = (layout: Layout, bytes: [UInt8])

  struct Column {
    let declared: EntityTables.Declared
    let kind: ColumnKind
    let origin: ColumnOrigin?
    /// Whether a value that is not of the kind is stored as it is.
    let isLoose: Bool

    /// The table whose IDs it has, where a script says so.
    let references: ReferencedTables?

    var name: String { declared.name }

    /// The field of a column that no record has yet.
    var newField: Layout.Field {
      Layout.Field(field, kind.scalar.map { .scalar($0) } ?? .unknown, to: references)
    }

    /// The same as it is declared for the next script, which sees JSON.
    var declaredField: Layout.Field {
      kind == .json ? Layout.Field(field, .record([]), to: references) : newField
    }

    /// Whether the column of a field has another name now.
    var isRenamed: Bool { origin.map { $0.field != nil && $0.column != name } ?? false }

    /// The name of the field: that of the column, if it was renamed.
    var field: String {
      guard let origin, let field = origin.field else { return name }
      return name == origin.column ? field : name
    }
  }

  private let table: String
  private let columns: [Column]
  private let id: Int
  private let select: RowCursor
  private let cells: StoredCells?
  /// How many values were stored that SQL has rounded, by field.
  private(set) var rounded: [String: Int] = [:]
  private let records: EntityRecords?
  private var reader: EntityReader?
  private var writer: RecordWriter
  /// The fields whose columns are gone.
  private let dropped: Set<String>
  private let fieldNames: Set<String>
  /// Whether records have their ID as a field.
  private let storesID: Bool
  private let isRenamed: Bool
  private let keepsRows: Bool
  /// For each column whether its values were copied; what was not cannot have changed in a copied row.
  private let copied: [Bool]
  private var patches: [Int64: Patch] = [:]

  /// How to replace fields in the bytes of records of one layout.
  private struct Patch {
    let patch: RecordPatch
    /// For each column the number of its field; nil if the layout lacks it.
    let fields: [Int?]
  }

  init(
    of result: EntityTables.Result,
    _ cells: StoredCells?,
    in connection: Connection
  ) throws {
    let source = result.table
    (table, columns, id) = (result.storedName, result.columns, result.id)
    keepsRows = result.kind.keepsRows
    select = try connection.cursor(
      "SELECT \(result.columnList) FROM \(result.place) WHERE \(result.row) = ?"
    )
    self.cells = cells
    records = source?.records
    reader = source.map { source in
      EntityReader(source.columns, used: source.columns.columns.indices) {
        try source.records.layout($0)
      }
    }
    writer = RecordWriter(
      resuming: try Self.newLayout(of: columns, from: source) ?? source?.records.newest
    )
    let kept = Set(columns.compactMap { $0.origin?.field })
    dropped = Set(source?.columns.fields ?? []).subtracting(kept)
    fieldNames = Set(columns.map(\.field))
    let hasID =
      source.map { $0.records.ordered.contains { $0.fields.contains { $0.name == "id" } } } ?? true
    copied = columns.map { column in
      guard result.kind.keepsRows, let source, let number = column.origin?.number else {
        return true
      }
      return source.isCopied(number)
    }
    // A field `id` that is not the ID has a column of its own.
    storesID = hasID && !columns.contains { $0.origin?.field == "id" }
    isRenamed = columns.contains(where: \.isRenamed)
  }

  /// The newest layout of a table without the fields whose columns are gone, with the new names and kinds of
  /// the others, and with the fields of columns that were added; nil if it is unchanged.
  static func newLayout(of columns: [Column], from source: EntityTables.Table?) throws -> Layout? {
    guard let source, let newest = source.records.newest else {
      return try Layout(columns.map(\.newField))
    }
    var byField: [String: Column] = [:]
    for column in columns {
      if let field = column.origin?.field { byField[field] = column }
    }
    let shown = Set(source.columns.fields)
    var taken: Set<String> = []
    var fields: [Layout.Field] = []
    for field in newest.fields {
      guard shown.contains(field.name) else {
        fields.append(field)
        continue
      }
      guard let column = byField[field.name] else { continue }
      if let scalar = column.kind.scalar, column.kind != column.origin?.kind {
        fields.append(.init(column.field, .scalar(scalar), to: column.references))
      } else {
        fields.append(.init(column.field, field.kind, to: column.references ?? field.references))
      }
    }
    fields += columns.filter { $0.origin == nil }.map(\.newField)
    // Of two fields that have one name now, the record has the first.
    fields = fields.filter { taken.insert($0.name).inserted }
    return fields == newest.fields ? nil : try Layout(fields)
  }

  /// The record of an entity by its row; nil if it is unchanged.
  ///
  /// - Parameters:
  ///   - isCopied: Whether the row was copied, and not inserted by SQL.
  ///   - formerID: The ID that it had, if it has another one now.
  ///   - origin: The record that it came from; nil for none.
  mutating func record(
    ofRow row: Int64,
    isCopied: Bool,
    id encodedID: [UInt8],
    formerID: [UInt8]? = nil,
    from origin: (layout: Int64, record: ArraySlice<UInt8>)?
  ) throws -> Record? {
    let ids = [encodedID] + (formerID.map { [$0] } ?? [])
    try select.start([.integer(row)])
    _ = try select.next()
    let values = try Self.values(in: select, from: 0)
    select.reset()
    guard let origin, let records else {
      // A row that is inserted into a table with records has no NULL of theirs.
      let isSet = values.enumerated().map { index, value in
        index == id ? storesID : value != .null || !keepsRows
      }
      return try encode(try members([], values, isSet, ids))
    }
    let isChanged = try changed(values, origin, isCopied: isCopied)
    return try record(
      values,
      isChanged,
      origin,
      try records.layout(origin.layout),
      ids
    )
  }

  /// The same for a copied row that has kept its ID.
  mutating func record(
    in row: RowCursor,
    from column: Int,
    of entity: StoredEntity
  ) throws -> Record? {
    guard let records else { return nil }
    let values = try Self.values(in: row, from: column)
    let origin = (entity.layout, entity.record)
    return try record(
      values,
      try changed(values, origin, isCopied: true),
      origin,
      try records.layout(entity.layout),
      [Array(entity.id)]
    )
  }

  private static func values(in cursor: RowCursor, from first: Int) throws -> [Value] {
    try cursor.withRow { row throws(SQLiteError) in
      var values: [Value] = []
      values.reserveCapacity(row.count - first)
      for column in first..<row.count { values.append(try row.value(column)) }
      return values
    }
  }

  private mutating func record(
    _ values: [Value],
    _ isChanged: [Bool],
    _ origin: (layout: Int64, record: ArraySlice<UInt8>),
    _ layout: Layout,
    _ ids: [[UInt8]]
  ) throws -> Record? {
    let hasMoved = ids.count > 1
    let isEqual = !isChanged.contains(true) && !hasMoved && !isRenamed
    if isEqual, dropped.isEmpty { return nil }
    if !hasMoved, !isRenamed, dropped.isEmpty,
      let record = try patched(values, isChanged, origin, layout, ids)
    {
      return (layout, record)
    }
    let before = try RecordValue(record: origin.record, layout: layout)
    guard case .object(let members) = before else {
      if !isChanged.contains(true) { return hasMoved ? (layout, Array(origin.record)) : nil }
      throw EntityTableError.doesNotFit(
        table: table,
        id: EncodedID.text(of: ids[0][...]),
        column: "value",
        kind: "record"
      )
    }
    let losesField = !dropped.isEmpty && members.contains { dropped.contains($0.name) }
    if isEqual, !losesField { return nil }
    return try encode(try self.members(Array(members), values, isChanged, ids))
  }

  /// The record with the changed values in their places; nil if one of them has no place of its kind there.
  private mutating func patched(
    _ values: [Value],
    _ isChanged: [Bool],
    _ origin: (layout: Int64, record: ArraySlice<UInt8>),
    _ layout: Layout,
    _ ids: [[UInt8]]
  ) throws -> [UInt8]? {
    let patch: Patch
    if let known = patches[origin.layout] {
      patch = known
    } else {
      let made = RecordPatch(layout)
      patch = Patch(patch: made, fields: columns.map { made.field(named: $0.field) })
      patches[origin.layout] = patch
    }
    let counted = rounded
    var replaced: [(field: Int, value: RecordValue?)] = []
    for index in columns.indices where isChanged[index] {
      guard let field = patch.fields[index], columns[index].kind.scalar != nil else {
        rounded = counted
        return nil
      }
      replaced.append((field, try stored(values[index], columns[index], nil, ids)))
    }
    if let record = try patch.patch.replacing(replaced, in: origin.record) { return record }
    // The values are stored in another way, and counted there.
    rounded = counted
    return nil
  }

  /// For each column whether its value differs from what was put there.
  private mutating func changed(
    _ values: [Value],
    _ origin: (layout: Int64, record: ArraySlice<UInt8>),
    isCopied: Bool
  ) throws -> [Bool] {
    reader?.move(to: [], layout: origin.layout, record: origin.record)
    return try columns.indices.map { index in
      if index == id || isCopied && !copied[index] { return false }
      guard let origin = columns[index].origin else { return values[index] != .null }
      // A column of another kind has no value of its origin.
      if columns[index].kind != origin.kind, values[index] != .null { return true }
      return try reader?.value(origin.number) != values[index]
    }
  }

  private mutating func members(
    _ before: [RecordValue.Member],
    _ values: [Value],
    _ isChanged: [Bool],
    _ ids: [[UInt8]]
  ) throws -> [RecordValue.Member] {
    var members: [RecordValue.Member] = []
    var done: Set<Int> = []
    for member in before {
      guard let index = columns.firstIndex(where: { $0.origin?.field == member.name }) else {
        if member.name == "id", ids.count > 1, columns[id].origin?.field == nil {
          let value = try stored(values[id], columns[id], member.value, ids)
          members.append(.init("id", value ?? .null))
        } else if !dropped.contains(member.name) {
          members.append(member)
        }
        continue
      }
      done.insert(index)
      let column = columns[index]
      if !isChanged[index] {
        members.append(.init(column.field, member.value))
      } else if let value = try stored(values[index], column, member.value, ids) {
        members.append(.init(column.field, value))
      }
    }
    for (index, column) in columns.enumerated() where isChanged[index] && !done.contains(index) {
      guard let value = try stored(values[index], column, nil, ids) else { continue }
      members.append(.init(index == id ? "id" : column.field, value))
    }
    return members
  }

  private mutating func encode(_ members: [RecordValue.Member]) throws -> Record {
    var bytes: [UInt8] = []
    let object = StoredObject(members, fields: fieldNames, referringAs: writer.layout)
    return (try writer.encode(object, into: &bytes), bytes)
  }
}

extension RowWriter {
  /// A value of a column as its field stores it; nil for NULL.
  ///
  /// - Parameter ids: The encoded IDs that its record has and had.
  private mutating func stored(
    _ value: Value,
    _ column: Column,
    _ before: RecordValue?,
    _ ids: [[UInt8]]
  ) throws -> RecordValue? {
    switch try cells?.origin(of: value, column.kind, in: column.field, of: ids) {
    case .known(let stored)?: return stored
    case .ambiguous?: rounded[column.field, default: 0] += 1
    case StoredCells.Origin.none?, nil:
      // If the kind has changed, the comparison of the records reports what it does not hold.
      let isNarrowed = column.origin.map { $0.kind != column.kind } ?? false
      if !isNarrowed, column.kind.rounds(value) { rounded[column.field, default: 0] += 1 }
    }
    if value == .null { return nil }
    let stored = try converted(value, column, before, ids)
    guard let references = column.references ?? column.origin?.references else { return stored }
    return stored.composed(at: references)
  }

  /// A value as the kind of its column holds it.
  private func converted(
    _ value: Value,
    _ column: Column,
    _ before: RecordValue?,
    _ ids: [[UInt8]]
  ) throws -> RecordValue {
    let natural = RecordValue(value)
    let stored = column.origin?.stored
    do throws(RecordValue.Misfit) {
      if let scalar = column.kind.scalar {
        if let result = scalar.stored(natural) ?? (column.isLoose ? natural : nil) { return result }
      } else if case .string(let text) = natural, column.kind == .json || before?.isNested == true {
        if let node = JSONReader.value(text, as: stored) {
          return try node.stored(as: stored, like: before, .free)
        }
      } else if column.kind == .any {
        return try natural.stored(as: nil, like: before, .free)
      }
      throw RecordValue.Misfit(natural, column.kind.scalar.map { .scalar($0) })
    } catch {
      // In a column of any kind, a text that is no JSON is a text.
      if column.kind == .any { return natural }
      throw EntityTableError.doesNotFit(
        table: table,
        id: EncodedID.text(of: ids[0][...]),
        column: column.name + error.path,
        kind: error.kind.flatMap { ColumnKind($0) }?.rawValue ?? column.kind.rawValue
      )
    }
  }
}

extension ColumnKind {
  /// Whether a value that SQL has computed is not exactly what is stored for it.
  fileprivate func rounds(_ value: Value) -> Bool {
    switch (self, value) {
    case (.float, .real(let number)):
      return Double(Float(number)) != number && Double(Float(number).description) != number
    case (.decimal, .real(let number)):
      // A real holds 15 decimal digits exactly; further digits are left by computing in binary.
      return number.description.prefix { $0 != "e" }.count { $0.isNumber } > 15
    case (.decimal, .integer(let number)):
      // SQLite stores a real without a fraction as an integer, and from 2^53 on it is rounded.
      return number.magnitude > 1 << 53 && Double(exactly: number) != nil
    default: return false
    }
  }
}
