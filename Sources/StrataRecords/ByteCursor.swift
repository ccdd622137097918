/// Reads numbers and texts from bytes that nobody vouches for.
///
/// Every read checks what is left first, so it throws `RecordError` where it cannot go on and never
/// traps; nothing is allocated but the text that is read.
package struct ByteCursor {
  let bytes: ArraySlice<UInt8>
  /// Within `bytes.startIndex...bytes.endIndex`.
  package private(set) var offset: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  package var remaining: Int { bytes.endIndex - offset }

  @inline(__always)
  package mutating func byte() throws(RecordError) -> UInt8 {
    guard offset < bytes.endIndex else { throw .truncated(at: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func skip(_ count: Int) throws(RecordError) {
    guard count <= remaining else { throw .truncated(at: bytes.endIndex) }
    offset += count
  }

  @inline(__always)
  package mutating func varint() throws(RecordError) -> UInt64 {
    let first = try byte()
    return first < 0x80 ? UInt64(first) : try longVarint(first)
  }

  private mutating func longVarint(_ first: UInt8) throws(RecordError) -> UInt64 {
    let start = offset - 1
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = try byte()
      guard next != 0, shift < 63 || next == 1 else { throw .badVarint(at: start) }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  mutating func zigzag() throws(RecordError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A count of things that take at least one byte each.
  ///
  /// - Throws: `countTooLarge` when the bytes that are left could not hold so many.
  package mutating func count() throws(RecordError) -> Int {
    let start = offset
    let value = try varint()
    guard value <= UInt64(remaining) else { throw .countTooLarge(value, at: start) }
    return Int(value)
  }

  mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) throws(RecordError) -> Number {
    let size = Number.bitWidth / 8
    guard size <= remaining else { throw .truncated(at: bytes.endIndex) }
    var value: Number = 0
    for index in 0..<size {
      value |= Number(truncatingIfNeeded: bytes[offset + index]) << (index * 8)
    }
    offset += size
    return value
  }

  /// The bytes behind a length.
  package mutating func block() throws(RecordError) -> ArraySlice<UInt8> {
    let count = try count()
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// The bytes of a text behind their length.
  mutating func utf8() throws(RecordError) -> ArraySlice<UInt8> {
    try Self.checked(block())
  }

  package mutating func text() throws(RecordError) -> String {
    String(decoding: try utf8(), as: UTF8.self)
  }

  /// A text that takes up all that is left.
  mutating func remainingText() throws(RecordError) -> String {
    defer { offset = bytes.endIndex }
    return String(decoding: try Self.checked(bytes[offset...]), as: UTF8.self)
  }

  private static func checked(
    _ block: ArraySlice<UInt8>
  ) throws(RecordError) -> ArraySlice<UInt8> {
    // Decoding repairs what is not UTF-8; a repaired text no longer has the bytes it came from.
    guard
      block.allSatisfy({ $0 < 0x80 })
        || String(decoding: block, as: UTF8.self).utf8.elementsEqual(block)
    else { throw .badUTF8(at: block.startIndex) }
    return block
  }
}
