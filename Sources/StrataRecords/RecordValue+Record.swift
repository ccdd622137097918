internal import Foundation

extension RecordValue {
  /// Reads a record without the type it was written from; O(bytes).
  ///
  /// A record's members come in its layout's order, absent ones left out, extras last.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: ArraySlice<UInt8>, layout: Layout) throws(RecordError) {
    try self.init(TapeSpot(try RecordTape(bytes, layout), 0))
  }

  /// Reads a record that has an array of its own.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: [UInt8], layout: Layout) throws(RecordError) {
    try self.init(record: bytes[...], layout: layout)
  }

  /// The value at a place of a tape; null where none is.
  init(_ spot: TapeSpot) throws(RecordError) {
    guard let token = spot.token else {
      self = .null
      return
    }
    switch token.tag {
    case .scalar(let scalar): self = try Self.scalar(scalar, spot, token.bits) ?? .null
    case .null, .absent, .tagged: self = .null
    case .array:
      var elements: [RecordValue] = []
      var number = spot.inside
      while number < token.end {
        elements.append(try RecordValue(TapeSpot(spot.tape, number)))
        number = spot.tape.tokens[number].end
      }
      self = .array(elements)
    case .object:
      self = .object(try Self.namedMembers(spot.tape, from: spot.inside, to: token.end))
    case .record:
      var members: [Member] = []
      var number = spot.inside
      for name in spot.tape.layout.tables.records[Int(token.bits)].names {
        let field = TapeSpot(spot.tape, number)
        if field.tag != .absent { members.append(Member(name, try RecordValue(field))) }
        number = spot.tape.tokens[number].end
      }
      members += try Self.namedMembers(spot.tape, from: number, to: token.end)
      self = .object(members)
    }
  }

  private static func namedMembers(
    _ tape: RecordTape,
    from start: Int,
    to end: Int
  ) throws(RecordError) -> [Member] {
    var members: [Member] = []
    var number = start
    while number < end {
      let value = try RecordValue(TapeSpot(tape, number + 1))
      members.append(Member(TapeSpot(tape, number).text, value))
      number = tape.tokens[number + 1].end
    }
    return members
  }

  private static func scalar(
    _ scalar: Scalar,
    _ spot: TapeSpot,
    _ bits: UInt64
  ) throws(RecordError) -> RecordValue? {
    switch scalar {
    case .bool: return .bool(bits == 1)
    case .int8: return .int(Int64(bitPattern: bits), .bits8)
    case .int16: return .int(Int64(bitPattern: bits), .bits16)
    case .int32: return .int(Int64(bitPattern: bits), .bits32)
    case .int64: return .int(Int64(bitPattern: bits), .bits64)
    case .uint8: return .uint(bits, .bits8)
    case .uint16: return .uint(bits, .bits16)
    case .uint32: return .uint(bits, .bits32)
    case .uint64: return .uint(bits, .bits64)
    case .float: return spot.float.map(RecordValue.float)
    case .double: return spot.double.map(RecordValue.double)
    case .string: return .string(spot.text)
    case .data: return spot.data.map(RecordValue.data)
    case .date: return spot.date.map(RecordValue.date)
    case .uuid: return spot.uuid.map(RecordValue.uuid)
    case .url: return try spot.url().map(RecordValue.url)
    case .decimal: return try spot.decimal().map(RecordValue.decimal)
    }
  }
}
