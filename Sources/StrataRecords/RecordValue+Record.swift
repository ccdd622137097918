extension RecordValue {
  /// Reads a record without the type it was written from; O(bytes).
  ///
  /// A record's members come in its layout's order, absent ones left out, extras last.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: ArraySlice<UInt8>, layout: Layout) throws(RecordError) {
    self = try bytes.withCursor { cursor throws(RecordError) in
      let start = cursor.offset
      try RecordScan.check(&cursor, layout.tables)
      cursor.offset = start
      var parser = ValueParser(tables: layout.tables, cursor: cursor)
      return try parser.top()
    }
  }

  /// Reads a record that has an array of its own.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: [UInt8], layout: Layout) throws(RecordError) {
    try self.init(record: bytes[...], layout: layout)
  }

  /// Reads a value behind its kind, which belongs to no record.
  ///
  /// - Throws: `RecordError` when the bytes are no such value.
  init(tagged bytes: ArraySlice<UInt8>) throws(RecordError) {
    self = try bytes.withCursor { cursor throws(RecordError) in
      let start = cursor.offset
      try RecordScan.check(tagged: &cursor)
      cursor.offset = start
      var parser = ValueParser(tables: Layout.empty.tables, cursor: cursor)
      return try parser.tagged()
    }
  }
}

/// Reads values from bytes that were checked.
struct ValueParser {
  let tables: LayoutTables
  var cursor: ByteCursor

  mutating func top() throws(RecordError) -> RecordValue {
    let start = cursor.offset
    if try cursor.byte() == ValueLocation.loneValue { return try tagged() }
    cursor.offset = start
    return try record(0)
  }

  mutating func tagged() throws(RecordError) -> RecordValue {
    try value(try cursor.kind())
  }

  mutating func value(_ shape: LayoutTables.Shape) throws(RecordError) -> RecordValue {
    switch shape.kind {
    case .null, .absent: return .null
    case .tagged: return try tagged()
    case .array: return try array(of: tables.elements[shape.index])
    case .object: return .object(try members())
    case .record: return try record(shape.index)
    default: return try leaf(shape.kind) ?? .null
    }
  }

  private mutating func leaf(_ kind: ValueKind) throws(RecordError) -> RecordValue? {
    switch kind {
    case .bool: return try cursor.bool(kind).map(RecordValue.bool)
    case .int8: return try cursor.integer(kind).map { .int($0, .bits8) }
    case .int16: return try cursor.integer(kind).map { .int($0, .bits16) }
    case .int32: return try cursor.integer(kind).map { .int($0, .bits32) }
    case .int64: return try cursor.integer(kind).map { .int($0, .bits64) }
    case .uint8: return try cursor.integer(kind).map { .uint($0, .bits8) }
    case .uint16: return try cursor.integer(kind).map { .uint($0, .bits16) }
    case .uint32: return try cursor.integer(kind).map { .uint($0, .bits32) }
    case .uint64: return try cursor.integer(kind).map { .uint($0, .bits64) }
    case .float: return try cursor.float(kind).map(RecordValue.float)
    case .double: return try cursor.double(kind).map(RecordValue.double)
    case .date: return try cursor.date(kind).map(RecordValue.date)
    case .string: return try cursor.string(kind).map(RecordValue.string)
    case .data: return try cursor.data(kind).map(RecordValue.data)
    case .uuid: return try cursor.uuid(kind).map(RecordValue.uuid)
    case .url: return try cursor.url(kind).map(RecordValue.url)
    case .decimal: return try cursor.decimal(kind).map(RecordValue.decimal)
    case .null, .absent, .tagged, .array, .object, .record: return nil
    }
  }

  private mutating func array(
    of element: LayoutTables.Shape
  ) throws(RecordError) -> RecordValue {
    let (count, isTagged) = try cursor.arrayHeader()
    let shape = isTagged ? .tagged : element
    var elements: [RecordValue] = []
    for _ in 0..<count { elements.append(try value(shape)) }
    return .array(elements)
  }

  private mutating func record(_ number: Int) throws(RecordError) -> RecordValue {
    let table = tables.records[number]
    let map = cursor.offset
    try cursor.skip(table.mapSize)
    var members: [RecordValue.Member] = []
    for (index, name) in table.names.enumerated() {
      switch cursor.presence(index + 1, map: map) {
      case 0: break
      case 1: members.append(.init(name, .null))
      case 2: members.append(.init(name, try value(table.shapes[index])))
      default: members.append(.init(name, try tagged()))
      }
    }
    if cursor.presence(0, map: map) == 1 { members += try self.members() }
    return .object(members)
  }

  private mutating func members() throws(RecordError) -> [RecordValue.Member] {
    var members: [RecordValue.Member] = []
    for _ in 0..<(try cursor.count()) {
      let name = String(decoding: cursor[try cursor.block()], as: UTF8.self)
      members.append(.init(name, try tagged()))
    }
    return members
  }
}
