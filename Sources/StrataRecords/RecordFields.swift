package import Foundation

/// Reads chosen fields of the records of one layout, and skips the others.
///
/// ```swift
/// var places = [RecordFields.Place](repeating: .none, count: 2)
/// let fields = RecordFields(["name", "age"], in: layout)
/// try fields.locate(in: record, &places)
/// let name = try fields.content(at: places[0], in: record)
/// ```
///
/// Nothing is allocated for a field that is not asked for. The bytes may be untrusted: errors in those that
/// are read are thrown.
package struct RecordFields: Sendable {
  /// Where a field of one record is.
  package struct Place: Sendable {
    fileprivate let location: ValueLocation

    /// The field is absent.
    package static let none = Place(location: .absent)
  }

  /// What a field holds.
  ///
  /// Ranges are indices of the record's bytes.
  package enum Content {
    /// Null or absent.
    case null
    case bool(Bool)
    case int(Int64)
    case uint(UInt64)
    case float(Float)
    case double(Double)
    /// Seconds since 2001.
    case date(Double)
    /// The text of a string or a URL; it is UTF-8.
    case text(Range<Int>)
    case data(Range<Int>)
    case uuid(UUID)
    case decimal(Decimal)
    /// An array, an object or a record.
    case nested(RecordValue)
  }

  /// Holds the tables that the cursor and the scan refer to.
  private let layout: Layout
  /// For each field of the layout the number that was asked for, or -1.
  private let numbers: [Int]
  /// How many fields of a record are passed: those up to the last one that was asked for.
  private let end: Int
  /// The names that the layout lacks: they may be among the extras of a record.
  private let lacking: [String: Int]
  /// The number of the value of a record that is not an object.
  private let lone: Int?

  /// Reads these fields; the number of a field is its place in the list.
  ///
  /// - Parameter lone: the number under which the one value of a record that has no fields is found.
  package init(_ names: [String], in layout: Layout, lone: Int? = nil) {
    self.layout = layout
    self.lone = lone
    var numbers = [Int](repeating: -1, count: layout.fields.count)
    var lacking: [String: Int] = [:]
    for (number, name) in names.enumerated() where number != lone {
      if let field = layout.tables.records[0].fieldNamed[name] {
        numbers[field] = number
      } else {
        lacking[name] = number
      }
    }
    self.numbers = numbers
    self.lacking = lacking
    end = (numbers.lastIndex { $0 >= 0 } ?? -1) + 1
  }

  /// Finds the fields in a record; O(bytes up to the last of them).
  ///
  /// - Throws: `RecordError` if the bytes up to there are not those of a record of the layout.
  package func locate(
    in record: ArraySlice<UInt8>,
    _ places: inout [Place]
  ) throws(RecordError) {
    for index in places.indices { places[index] = .none }
    try RecordLimits.check(size: record)
    let tables = layout.tables
    defer { extendLifetime(tables) }
    let scan = RecordScan(tables, texts: .unchecked)
    let table = tables.records[0]
    try record.withCursor { cursor throws(RecordError) in
      let map = cursor.offset
      if try cursor.byte() == ValueLocation.loneValue {
        let shape = try cursor.kind()
        if let lone { places[lone] = Place(location: ValueLocation(cursor.offset, shape)) }
        return
      }
      cursor.offset = map
      try cursor.skip(table.mapSize)
      let hasExtras = cursor.presence(0, map: map) == 1 && !lacking.isEmpty
      for index in 0..<(hasExtras ? numbers.count : end) {
        let number = numbers[index]
        if number >= 0 {
          places[number] = Place(location: try field(index, table.shapes[index], map, cursor))
        }
        try scan.field(index, table.shapes[index], map, &cursor)
      }
      if hasExtras { try locate(amongExtras: &cursor, scan, &places) }
    }
  }

  private func field(
    _ index: Int,
    _ shape: LayoutTables.Shape,
    _ map: Int,
    _ cursor: ByteCursor
  ) throws(RecordError) -> ValueLocation {
    var cursor = cursor
    switch cursor.presence(index + 1, map: map) {
    case 0: return .absent
    case 1: return .null
    case 2: return try ValueLocation(&cursor, shape)
    default: return try ValueLocation(&cursor, .tagged)
    }
  }

  private func locate(
    amongExtras cursor: inout ByteCursor,
    _ scan: RecordScan,
    _ places: inout [Place]
  ) throws(RecordError) {
    for _ in 0..<(try cursor.count()) {
      let name = try cursor.text()
      if let number = lacking[name] {
        var value = cursor
        places[number] = Place(location: try ValueLocation(&value, .tagged))
      }
      try scan.tagged(&cursor)
    }
  }

  /// The content at a place of the same record.
  ///
  /// - Throws: `RecordError` if the bytes there are not a value of their kind.
  package func content(
    at place: Place,
    in record: ArraySlice<UInt8>
  ) throws(RecordError) -> Content {
    let location = place.location
    let kind = location.kind
    if kind == .null || kind == .absent { return .null }
    let tables = layout.tables
    defer { extendLifetime(tables) }
    return try record.withCursor { cursor throws(RecordError) -> Content in
      cursor.offset = Int(location.offset)
      switch kind {
      case .null, .absent, .tagged: return .null
      case .bool: return .bool(try cursor.bool(kind) ?? false)
      case .int8, .int16, .int32, .int64: return .int(try cursor.integer(kind) ?? 0)
      case .uint8, .uint16, .uint32, .uint64: return .uint(try cursor.integer(kind) ?? 0)
      case .float: return .float(Float(bitPattern: try cursor.fixed(UInt32.self)))
      case .double: return .double(Double(bitPattern: try cursor.fixed(UInt64.self)))
      case .date: return .date(Double(bitPattern: try cursor.fixed(UInt64.self)))
      case .string, .url: return .text(try cursor.utf8())
      case .data: return .data(try cursor.block())
      case .uuid: return try cursor.uuid(kind).map(Content.uuid) ?? .null
      case .decimal: return try cursor.decimal(kind).map(Content.decimal) ?? .null
      case .array, .object, .record:
        return .nested(try Self.value(location.shape, &cursor, in: record, tables))
      }
    }
  }

  /// The value at a place of the same record; nil for a field that is absent.
  ///
  /// - Throws: `RecordError` if the bytes there are not a value of their kind.
  package func value(
    at place: Place,
    in record: ArraySlice<UInt8>
  ) throws(RecordError) -> RecordValue? {
    let location = place.location
    if location.kind == .absent { return nil }
    if location.kind == .null { return .null }
    return try record.withCursor { cursor throws(RecordError) in
      cursor.offset = Int(location.offset)
      return try Self.value(location.shape, &cursor, in: record, layout.tables)
    }
  }

  private static func value(
    _ shape: LayoutTables.Shape,
    _ cursor: inout ByteCursor,
    in record: ArraySlice<UInt8>,
    _ tables: LayoutTables
  ) throws(RecordError) -> RecordValue {
    let start = cursor.offset
    try RecordScan(tables, texts: .values).value(shape, &cursor)
    return StoredRecord(record[start..<cursor.offset], tables).value(shape)
  }
}

extension Layout {
  /// The numbers of the fields in which two records differ that have the same fields, and no members beside the layout.
  ///
  /// O(bytes); nothing is decoded.
  ///
  /// - Throws: `RecordError` if the bytes are not those of records of the layout.
  package func fieldsThatDiffer(
    _ record: ArraySlice<UInt8>,
    _ other: ArraySlice<UInt8>
  ) throws(RecordError) -> [Int] {
    let (places, others) = (try places(in: record), try places(in: other))
    return fields.indices.filter { field in
      record[places[field]..<places[field + 1]] != other[others[field]..<others[field + 1]]
    }
  }

  /// Calls a closure with the name of each field in which a record has a value that is not null.
  ///
  /// O(fields); O(bytes) for a record that has members beside the layout.
  package func forEachValue(
    in record: ArraySlice<UInt8>,
    _ body: (String) -> Void
  ) throws(RecordError) {
    guard let presence = FieldPresence(record, self) else {
      let members = try RecordValue(record: record, layout: self).members ?? []
      for member in members where member.value != .null { body(member.name) }
      return
    }
    for (index, field) in fields.enumerated() where presence[index].hasValue { body(field.name) }
  }

  /// Where each field begins, and where the last one ends; O(bytes).
  ///
  /// - Throws: `RecordError` if the bytes are not those of a record of the layout.
  package func places(in record: ArraySlice<UInt8>) throws(RecordError) -> [Int] {
    let tables = tables
    defer { extendLifetime(tables) }
    var places: [Int] = []
    places.reserveCapacity(fields.count + 1)
    try record.withCursor { cursor throws(RecordError) in
      try RecordScan(tables, texts: .unchecked).locate(tables.records[0], &cursor) {
        places.append(Int($0))
      }
      places.append(cursor.offset)
    }
    return places
  }
}

/// Which fields of a record have values, read without the values.
///
/// O(1) for each field.
package struct FieldPresence {
  /// How a record has a field.
  package enum Content: UInt8, Sendable {
    case absent, null
    /// A value of the kind that the layout says.
    case value
    /// A value of another kind.
    case tagged

    /// Whether there is one.
    package var hasValue: Bool { self == .value || self == .tagged }
  }

  private let map: ArraySlice<UInt8>

  /// - Parameter record: a record that was checked.
  ///
  /// Nil for a record that has members beside its layout, or is a value of its own.
  package init?(_ record: ArraySlice<UInt8>, _ layout: Layout) {
    map = record.prefix(layout.fields.count / 4 + 1)
    guard let first = map.first, first & 3 == 0, map.count == layout.fields.count / 4 + 1 else {
      return nil
    }
  }

  /// How the record has the field of this number in the layout.
  package subscript(field: Int) -> Content {
    let byte = map[map.startIndex + (field + 1) / 4]
    return Content(rawValue: byte >> UInt8((field + 1) % 4 * 2) & 3) ?? .absent
  }

  /// Whether another record of the same layout has its fields in the same way.
  package func isSame(as other: FieldPresence) -> Bool { map.elementsEqual(other.map) }
}
