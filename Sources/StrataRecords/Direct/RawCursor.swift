/// The direct reader does not read this record: it is damaged, or of a form that it leaves alone.
///
/// It says no more, since `RecordReader` reads the record again, or says what is wrong with it.
struct NotDirect: Error {}

/// Reads numbers and texts as `ByteCursor` does, from bytes that somebody else keeps in place.
///
/// Every read checks what is left first, so whatever the bytes are, nothing beyond them is touched.
struct RawCursor {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  private let bytes: Bytes
  /// Within `0...bytes.count`.
  private(set) var offset: Int

  init(_ bytes: Bytes, at offset: Int) throws(NotDirect) {
    guard offset >= 0, offset <= bytes.count else { throw NotDirect() }
    self.bytes = bytes
    self.offset = offset
  }

  var remaining: Int { bytes.count - offset }

  @inline(__always)
  mutating func byte() throws(NotDirect) -> UInt8 {
    guard offset < bytes.count else { throw NotDirect() }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(__always)
  mutating func skip(_ count: Int) throws(NotDirect) {
    guard count <= remaining else { throw NotDirect() }
    offset += count
  }

  @inline(__always)
  mutating func varint() throws(NotDirect) -> UInt64 {
    let first = try byte()
    return first < 0x80 ? UInt64(first) : try longVarint(first)
  }

  private mutating func longVarint(_ first: UInt8) throws(NotDirect) -> UInt64 {
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = try byte()
      guard next != 0, shift < 63 || next == 1 else { throw NotDirect() }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  @inline(__always)
  mutating func zigzag() throws(NotDirect) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @inline(__always)
  mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) throws(NotDirect) -> Number {
    let size = MemoryLayout<Number>.size
    guard size <= remaining else { throw NotDirect() }
    defer { offset += size }
    return Number(
      littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(
        fromByteOffset: offset,
        as: Number.self
      )
    )
  }

  /// The bytes behind a length.
  @inline(__always)
  mutating func block() throws(NotDirect) -> Bytes {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw NotDirect() }
    return taken(Int(count))
  }

  /// The next bytes, as many as are wanted.
  mutating func block(of count: Int) throws(NotDirect) -> Bytes {
    guard count <= remaining else { throw NotDirect() }
    return taken(count)
  }

  private mutating func taken(_ count: Int) -> Bytes {
    defer { offset += count }
    return Bytes(rebasing: bytes[offset..<offset + count])
  }

  /// Goes past a text behind its length.
  @inline(__always)
  mutating func skipText() throws(NotDirect) {
    let block = try block()
    guard Self.isASCII(block) || Self.isUTF8(block) else { throw NotDirect() }
  }

  private static func isASCII(_ block: Bytes) -> Bool {
    let raw = UnsafeRawBufferPointer(block)
    var index = 0
    var high: UInt64 = 0
    while index + 8 <= raw.count {
      high |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < raw.count {
      high |= UInt64(raw[index])
      index += 1
    }
    return high & 0x8080_8080_8080_8080 == 0
  }

  /// Decoding repairs what is not UTF-8; a repaired text no longer has the bytes it came from.
  private static func isUTF8(_ block: Bytes) -> Bool {
    String(decoding: block, as: UTF8.self).utf8.elementsEqual(block)
  }
}
