internal import Foundation

/// Values without parts.
///
/// Each read returns nil if a value of another kind is stored. Numbers convert if the conversion is exact.
/// Values that Foundation's coders write as text or numbers are read from those too: a URL or a UUID from its
/// text, a date from its seconds since 2001.
extension ByteCursor {
  @inline(__always)
  mutating func bool(_ kind: ValueKind) throws(RecordError) -> Bool? {
    guard kind == .bool else { return nil }
    return try byte() == 1
  }

  @inline(__always)
  mutating func integer<Integer: FixedWidthInteger>(
    _ kind: ValueKind
  ) throws(RecordError) -> Integer? {
    switch kind {
    case .int64, .int32, .int16: return Integer(exactly: try zigzag())
    case .uint64, .uint32, .uint16: return Integer(exactly: try varint())
    case .int8: return Integer(exactly: Int8(bitPattern: try byte()))
    case .uint8: return Integer(exactly: try byte())
    default: return nil
    }
  }

  private mutating func floatingPoint<Number: BinaryFloatingPoint>(
    _ kind: ValueKind
  ) throws(RecordError) -> Number? {
    let number: Double
    switch kind {
    case .double, .date: number = Double(bitPattern: try fixed(UInt64.self))
    case .float: number = Double(Float(bitPattern: try fixed(UInt32.self)))
    case .int64, .int32, .int16: return Number(exactly: try zigzag())
    case .uint64, .uint32, .uint16: return Number(exactly: try varint())
    case .int8: return Number(exactly: Int8(bitPattern: try byte()))
    case .uint8: return Number(exactly: try byte())
    default: return nil
    }
    return number.isNaN ? Number(number) : Number(exactly: number)
  }

  @inline(__always)
  mutating func double(_ kind: ValueKind) throws(RecordError) -> Double? {
    guard kind == .double else { return try floatingPoint(kind) }
    return Double(bitPattern: try fixed(UInt64.self))
  }

  @inline(__always)
  mutating func float(_ kind: ValueKind) throws(RecordError) -> Float? {
    guard kind == .float else { return try floatingPoint(kind) }
    return Float(bitPattern: try fixed(UInt32.self))
  }

  @inline(__always)
  mutating func string(_ kind: ValueKind) throws(RecordError) -> String? {
    switch kind {
    case .string, .url: return String(decoding: self[try block()], as: UTF8.self)
    case .uuid: return try uuid(kind)?.uuidString
    default: return nil
    }
  }

  mutating func data(_ kind: ValueKind) throws(RecordError) -> Data? {
    guard kind == .data else { return nil }
    return Data(self[try block()])
  }

  mutating func date(_ kind: ValueKind) throws(RecordError) -> Date? {
    guard kind == .date else { return nil }
    let seconds = Double(bitPattern: try fixed(UInt64.self))
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  mutating func uuid(_ kind: ValueKind) throws(RecordError) -> UUID? {
    guard kind == .uuid else { return nil }
    let start = offset
    try skip(16)
    return UUID(uuid: self[start..<start + 16].loadUnaligned(as: uuid_t.self))
  }

  /// - Throws: `badText` if the stored text is not a URL.
  mutating func url(_ kind: ValueKind) throws(RecordError) -> URL? {
    guard kind == .url || kind == .string else { return nil }
    let block = try block()
    guard let url = URL(string: String(decoding: self[block], as: UTF8.self)) else {
      throw .badText(at: block.lowerBound)
    }
    return url
  }

  /// A decimal number, or an integer as one.
  ///
  /// - Throws: `badText` if the stored text is not a decimal number.
  mutating func decimal(_ kind: ValueKind) throws(RecordError) -> Decimal? {
    guard kind == .decimal else {
      let start = offset
      if let integer: Int64 = try integer(kind) { return Decimal(integer) }
      offset = start
      if let integer: UInt64 = try integer(kind) { return Decimal(integer) }
      return nil
    }
    let block = try block()
    let text = String(decoding: self[block], as: UTF8.self)
    // Foundation prints NaN but does not parse it. Of other texts it parses the digits at the front and
    // ignores the rest, so the number is printed again and compared.
    if text == Decimal.nan.description { return .nan }
    let longest = 256
    guard block.count <= longest, let value = Decimal(string: text), value.description == text
    else { throw .badText(at: block.lowerBound) }
    return value
  }

  /// An array of leaves, or nil when one of them is of another kind.
  @inline(__always)
  mutating func array<Element>(
    of layoutElement: LayoutTables.Shape,
    _ read: (inout ByteCursor, ValueKind) throws(RecordError) -> Element?
  ) throws(RecordError) -> [Element]? {
    let (count, isTagged) = try arrayHeader()
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count {
      let kind = isTagged ? try kind().kind : layoutElement.kind
      let element =
        kind == .tagged ? try read(&self, try self.kind().kind) : try read(&self, kind)
      guard let element else { return nil }
      elements.append(element)
    }
    return elements
  }
}
