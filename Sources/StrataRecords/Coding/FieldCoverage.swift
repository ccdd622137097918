/// Which fields of a layout a type has asked for, over all records that were decoded while this was noted.
///
/// It finds the fields that a type does not know. Once the type has asked for every field of the layout,
/// decoding costs nothing more. Until then, a record is decoded with notes only if it holds a field that was
/// not asked for yet: mostly the first record alone.
final class FieldCoverage {
  private struct Record {
    /// Whether the record is the top, or a member of one that is not an array.
    var counts = false
    var isAsked: [Bool]
    /// The members beside the layout that were asked for.
    var names: Set<String> = []
    /// Whether the type asked for all keys, as a dictionary does: then it knows every field.
    var isClosed = false
    /// How many fields were not asked for, here and in the records below that count.
    var missing: Int
  }

  private let tables: LayoutTables
  private var records: [Record]
  /// The record around each one that counts; nil for the top.
  private var parents: [Int?]
  /// Which fields of each record were read as a type.
  private var isTyped: [[Bool]]
  /// What the types refer to that fields were read as, by the number of the record and that of the field.
  private var references: [Int: [Int: ReferencedTables]] = [:]
  /// Whether the last record had members beside the layout, which the type may not know.
  var hasMetExtras = false

  init(_ tables: LayoutTables) {
    self.tables = tables
    records = tables.records.map { table in
      Record(isAsked: Array(repeating: false, count: table.names.count), missing: 0)
    }
    parents = Array(repeating: nil, count: records.count)
    isTyped = tables.records.map { Array(repeating: false, count: $0.names.count) }
    count(0)
  }

  private func count(_ number: Int) {
    records[number].counts = true
    records[number].missing = records[number].isAsked.count
    for shape in tables.records[number].shapes {
      guard let nested = shape.table else { continue }
      parents[nested] = number
      count(nested)
      records[number].missing += records[nested].missing
    }
  }

  /// Whether the type has asked for every field of the layout.
  var isComplete: Bool { records[0].missing == 0 }

  /// Notes that a type asked for a member.
  func note(_ name: String, of number: Int) {
    guard records[number].counts, !records[number].isClosed else { return }
    guard let slot = tables.records[number].fieldNamed[name] else {
      records[number].names.insert(name)
      return
    }
    if records[number].isAsked[slot] { return }
    records[number].isAsked[slot] = true
    reduceMissing(by: 1, from: number)
  }

  /// Notes that a member was read as a type, to find what it refers to; the first type of a field counts.
  func note<Value>(_ name: String, of number: Int, as type: Value.Type) {
    guard let slot = tables.records[number].fieldNamed[name], !isTyped[number][slot] else { return }
    isTyped[number][slot] = true
    if let tables = ReferencedTables(of: type) { references[number, default: [:]][slot] = tables }
  }

  /// Notes that a type asked for all members.
  func close(_ number: Int) {
    guard records[number].counts, !records[number].isClosed else { return }
    let missing = records[number].isAsked.count { !$0 }
    records[number].isAsked = Array(repeating: true, count: records[number].isAsked.count)
    records[number].isClosed = true
    reduceMissing(by: missing, from: number)
  }

  private func reduceMissing(by count: Int, from number: Int) {
    var next: Int? = number
    while let number = next {
      records[number].missing -= count
      next = parents[number]
    }
  }

  /// Notes that a record has members beside the layout.
  func noteExtras(of number: Int) {
    if records[number].counts, !records[number].isClosed { hasMetExtras = true }
  }
}

/// References.
extension FieldCoverage {
  /// The fields of the layout whose types refer to other entities, at the top or in structs and elements below it.
  ///
  /// - Parameter fields: Those of the layout.
  func referring(_ fields: [Layout.Field]) -> [Layout.Field] {
    references.isEmpty ? [] : referring(fields, of: 0)
  }

  private func referring(_ fields: [Layout.Field], of number: Int) -> [Layout.Field] {
    zip(fields, tables.records[number].shapes).enumerated().compactMap { slot, pair in
      let (field, shape) = pair
      // The entity's own ID is no reference.
      if number == 0, field.name == "id" { return nil }
      if let tables = references[number]?[slot] {
        return Layout.Field(field.name, field.kind, to: tables)
      }
      return referring(field.kind, shape).map { Layout.Field(field.name, $0) }
    }
  }

  private func referring(_ kind: Layout.Kind, _ shape: LayoutTables.Shape) -> Layout.Kind? {
    switch kind {
    case .unknown, .scalar, .tagged: return nil
    case .array(of: let element):
      return referring(element, tables.elements[shape.index]).map { .array(of: $0) }
    case .record(let fields):
      guard let number = shape.table else { return nil }
      let found = referring(fields, of: number)
      return found.isEmpty ? nil : .record(found)
    }
  }
}

/// Reading.
extension FieldCoverage {
  /// Whether a record holds a field that was not asked for.
  ///
  /// O(fields); O(bytes) if structs in it are not covered.
  func mayHoldUnknown(_ number: Int, _ cursor: ByteCursor, _ scan: RecordScan) throws(RecordError)
    -> Bool
  {
    let record = records[number]
    let map = cursor.offset
    if cursor.presence(0, map: map) == 1, !record.isClosed { return true }
    if record.missing == 0 { return false }
    let table = tables.records[number]
    for slot in table.shapes.indices
    where !record.isAsked[slot] && cursor.presence(slot + 1, map: map) != 0 { return true }
    var cursor = cursor
    try cursor.skip(table.mapSize)
    for (slot, shape) in table.shapes.enumerated() {
      if let nested = shape.table, records[nested].missing > 0,
        cursor.presence(slot + 1, map: map) == 2, try mayHoldUnknown(nested, cursor, scan)
      {
        return true
      }
      try scan.field(slot, shape, map, &cursor)
    }
    return false
  }

  /// The fields of a record that were not asked for when it was decoded.
  func unknownFields(
    of number: Int,
    _ cursor: inout ByteCursor,
    _ scan: RecordScan
  ) throws(RecordError) -> UnknownFields {
    var unknown = UnknownFields()
    let record = records[number]
    let table = tables.records[number]
    let map = cursor.offset
    try cursor.skip(table.mapSize)
    for (slot, shape) in table.shapes.enumerated() {
      let presence = cursor.presence(slot + 1, map: map)
      let start = cursor.offset
      try scan.field(slot, shape, map, &cursor)
      if presence == 0 { continue }
      if !record.isAsked[slot] {
        let value =
          presence == 1
          ? .null : try value(presence == 2 ? shape : .tagged, cursor[start..<cursor.offset])
        unknown.members.append(.init(table.names[slot], value))
        if presence == 2, !table.references.isEmpty, let references = table.references[slot] {
          unknown.references[table.names[slot]] = references
        }
      } else if presence == 2, let nested = shape.table {
        var part = cursor
        part.offset = start
        let fields = try unknownFields(of: nested, &part, scan)
        if !fields.isEmpty { unknown.nested.append(.init(name: table.names[slot], fields: fields)) }
      }
    }
    guard cursor.presence(0, map: map) == 1, !record.isClosed else { return unknown }
    for _ in 0..<(try cursor.count()) {
      let name = String(decoding: cursor[try cursor.block()], as: UTF8.self)
      let start = cursor.offset
      try scan.tagged(&cursor)
      if record.names.contains(name) { continue }
      unknown.members.append(.init(name, try value(.tagged, cursor[start..<cursor.offset])))
    }
    return unknown
  }

  /// A copy of a part of a record, so that the rest of the record is not kept in memory.
  private func value(
    _ shape: LayoutTables.Shape,
    _ part: UnsafeRawBufferPointer
  ) throws(RecordError) -> RecordValue {
    let bytes = Array(part)[...]
    try bytes.withCursor { cursor throws(RecordError) in
      try RecordScan(tables, texts: .values).value(shape, &cursor)
    }
    return StoredRecord(bytes, tables).value(shape)
  }
}
