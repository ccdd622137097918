/// Makes the tape of a record; the byte layout stands above `RecordEmitter`.
struct RecordParser {
  private let tables: LayoutTables
  private var cursor: ByteCursor
  private var tokens: [RecordTape.Token] = []

  init(_ bytes: ArraySlice<UInt8>, _ layout: Layout) {
    tables = layout.tables
    cursor = ByteCursor(bytes)
    tokens.reserveCapacity(Swift.min(bytes.count, 2 * tables.records[0].names.count + 2))
  }

  /// The tokens of a whole record.
  mutating func top() throws(RecordError) -> [RecordTape.Token] {
    let start = cursor
    if try cursor.byte() == 2 {
      try tagged(depth: 1)
    } else {
      cursor = start
      try record(0, depth: 1)
    }
    return try finished()
  }

  /// The tokens of a tagged value.
  mutating func onlyTagged() throws(RecordError) -> [RecordTape.Token] {
    try tagged(depth: 1)
    return try finished()
  }

  private func finished() throws(RecordError) -> [RecordTape.Token] {
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
    return tokens
  }

  private mutating func add(_ tag: Tag, offset: Int = 0, bits: UInt64 = 0) {
    let end = tokens.count + 1
    tokens.append(RecordTape.Token(tag: tag, end: end, offset: offset, bits: bits))
  }

  /// Closes what was opened by the token, which now holds all tokens added since.
  private mutating func close(_ token: Int) {
    tokens[token].end = tokens.count
  }
}

extension RecordParser {
  private mutating func record(_ number: Int, depth: Int) throws(RecordError) {
    guard depth <= RecordLimits.depth else { throw .tooDeep }
    let start = tokens.count
    add(.record, bits: UInt64(number))
    let shapes = tables.records[number].shapes
    let map = cursor.offset
    try cursor.skip(shapes.count / 4 + 1)
    for (index, shape) in shapes.enumerated() {
      switch presence(index + 1, map: map) {
      case 0: add(.absent)
      case 1: add(.null)
      case 2: try value(shape, depth: depth + 1)
      default: try tagged(depth: depth + 1)
      }
    }
    switch presence(0, map: map) {
    case 0: break
    case 1: _ = try members(depth: depth)
    default: throw .badTag(cursor.bytes[map], at: map)
    }
    close(start)
  }

  private func presence(_ index: Int, map: Int) -> UInt8 {
    cursor.bytes[map + index / 4] >> (index % 4 * 2) & 3
  }

  private mutating func value(
    _ shape: LayoutTables.Shape,
    depth: Int
  ) throws(RecordError) {
    switch shape {
    case .unknown: throw .badTag(Tag.null.byte, at: cursor.offset)
    case .tagged: try tagged(depth: depth)
    case .scalar(let scalar): try self.scalar(scalar)
    case .array(let element): try array(of: tables.elements[element], depth: depth)
    case .record(let number): try record(number, depth: depth)
    }
  }

  private mutating func tagged(depth: Int) throws(RecordError) {
    let start = cursor.offset
    let byte = try cursor.byte()
    switch Tag(byte: byte) {
    case .null: add(.null)
    case .scalar(let scalar): try self.scalar(scalar)
    case .array: try array(of: .unknown, depth: depth)
    case .object: try object(depth: depth)
    case .record, .tagged, .absent, nil: throw .badTag(byte, at: start)
    }
  }

  private mutating func array(
    of element: LayoutTables.Shape,
    depth: Int
  ) throws(RecordError) {
    guard depth <= RecordLimits.depth else { throw .tooDeep }
    let start = tokens.count
    let offset = cursor.offset
    let header = try cursor.varint()
    let count = header >> 1
    guard count <= UInt64(cursor.remaining) else { throw .countTooLarge(count, at: offset) }
    let shape = header & 1 == 1 ? .tagged : element
    add(.array, bits: count)
    for _ in 0..<count { try value(shape, depth: depth + 1) }
    close(start)
  }

  private mutating func object(depth: Int) throws(RecordError) {
    guard depth <= RecordLimits.depth else { throw .tooDeep }
    let start = tokens.count
    add(.object)
    tokens[start].bits = UInt64(try members(depth: depth))
    close(start)
  }

  private mutating func members(depth: Int) throws(RecordError) -> Int {
    let count = try cursor.count()
    for _ in 0..<count {
      addBlock(.string, try cursor.utf8())
      try tagged(depth: depth + 1)
    }
    return count
  }

  private mutating func scalar(_ scalar: Scalar) throws(RecordError) {
    switch scalar {
    case .bool:
      let byte = try cursor.byte()
      guard byte < 2 else { throw .badTag(byte, at: cursor.offset - 1) }
      add(.scalar(scalar), bits: UInt64(byte))
    case .int8:
      let value = Int64(Int8(bitPattern: try cursor.byte()))
      add(.scalar(scalar), bits: UInt64(bitPattern: value))
    case .uint8: add(.scalar(scalar), bits: UInt64(try cursor.byte()))
    case .int16, .int32, .int64:
      add(.scalar(scalar), bits: UInt64(bitPattern: try cursor.zigzag()))
    case .uint16, .uint32, .uint64: add(.scalar(scalar), bits: try cursor.varint())
    case .float: add(.scalar(scalar), bits: UInt64(try cursor.fixed(UInt32.self)))
    case .double, .date: add(.scalar(scalar), bits: try cursor.fixed(UInt64.self))
    case .uuid:
      add(.scalar(scalar), offset: cursor.offset)
      try cursor.skip(16)
    case .data: addBlock(scalar, try cursor.block())
    case .string, .url, .decimal: addBlock(scalar, try cursor.utf8())
    }
  }

  private mutating func addBlock(_ scalar: Scalar, _ block: ArraySlice<UInt8>) {
    add(.scalar(scalar), offset: block.startIndex, bits: UInt64(block.count))
  }
}
