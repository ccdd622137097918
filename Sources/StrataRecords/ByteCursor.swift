internal import Foundation

/// Reads numbers and texts from untrusted bytes.
///
/// Every read checks the remaining bytes first: it throws `RecordError` instead of reading past the end. Only
/// the text that is read is allocated. A cursor does not own its bytes: ``Swift/ArraySlice/withCursor(_:)``
/// lends one for as long as they stay in place.
package struct ByteCursor {
  /// The address of the byte at `start`; nil only if there are no bytes.
  private let first: UnsafeRawPointer?
  /// The offset of the first byte: the bytes may be part of a larger array.
  private let start: Int
  private let end: Int
  private var position: Int

  /// Within `start...end`.
  package internal(set) var offset: Int {
    @inline(__always) get { position }
    @inline(__always)
    set {
      precondition(newValue >= start && newValue <= end)
      position = newValue
    }
  }

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, start: Int, at offset: Int) {
    first = bytes.baseAddress
    (self.start, end, position) = (start, start + bytes.count, start)
    self.offset = offset
  }

  package var remaining: Int { end &- position }

  /// The byte at an offset that was already passed.
  @inline(__always)
  func byte(at offset: Int) -> UInt8 {
    precondition(offset >= start && offset < end)
    return first.unsafelyUnwrapped.load(fromByteOffset: offset &- start, as: UInt8.self)
  }

  @inline(__always)
  package mutating func byte() throws(RecordError) -> UInt8 {
    guard position < end else { throw .truncated(at: position) }
    let byte = byte(at: position)
    position &+= 1
    return byte
  }

  @inline(__always)
  mutating func skip(_ count: Int) throws(RecordError) {
    guard count >= 0, count <= remaining else { throw .truncated(at: end) }
    position &+= count
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

  @inline(__always)
  package mutating func zigzag() throws(RecordError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A count of things that take at least one byte each.
  ///
  /// - Throws: `countTooLarge` if the remaining bytes cannot hold that many.
  @inline(__always)
  package mutating func count() throws(RecordError) -> Int {
    let start = offset
    let value = try varint()
    guard value <= UInt64(remaining) else { throw .countTooLarge(value, at: start) }
    return Int(value)
  }

  @inline(__always)
  mutating func fixed<Number: FixedWidthInteger>(_: Number.Type) throws(RecordError) -> Number {
    let place = position &- start
    try skip(MemoryLayout<Number>.size)
    return Number(
      littleEndian: first.unsafelyUnwrapped.loadUnaligned(fromByteOffset: place, as: Number.self)
    )
  }

  /// The next `count` bytes.
  package mutating func bytes(_ count: Int) throws(RecordError) -> [UInt8] {
    let start = position
    try skip(count)
    return Array(self[start..<position])
  }

  /// The range of the bytes after their length.
  @inline(__always)
  package mutating func block() throws(RecordError) -> Range<Int> {
    let count = try count()
    let start = position
    position &+= count
    return Range(uncheckedBounds: (start, position))
  }

  /// The range of the bytes of a text, after their length.
  @inline(__always)
  mutating func utf8() throws(RecordError) -> Range<Int> {
    let count = try utf8Bytes().count
    return Range(uncheckedBounds: (position &- count, position))
  }

  /// The bytes of a text, after their length.
  @inline(__always)
  mutating func utf8Bytes() throws(RecordError) -> UnsafeRawBufferPointer {
    let count = try count()
    // A count was read, so there are bytes.
    let text = UnsafeRawBufferPointer(
      start: first.unsafelyUnwrapped + (position &- start),
      count: count
    )
    if !text.isASCII { try check(text, at: position) }
    position &+= count
    return text
  }

  package mutating func text() throws(RecordError) -> String {
    String(decoding: try utf8Bytes(), as: UTF8.self)
  }

  /// A text that fills the remaining bytes.
  mutating func remainingText() throws(RecordError) -> String {
    let text = self[offset..<end]
    try check(text, at: offset)
    offset = end
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a range that was read before.
  @inline(__always)
  package subscript(range: Range<Int>) -> UnsafeRawBufferPointer {
    precondition(range.lowerBound >= start && range.upperBound <= end)
    return UnsafeRawBufferPointer(
      start: first?.advanced(by: range.lowerBound &- start),
      count: range.upperBound &- range.lowerBound
    )
  }

  private func check(_ text: UnsafeRawBufferPointer, at offset: Int) throws(RecordError) {
    // Decoding replaces what is not UTF-8; then the text no longer has the bytes it came from.
    guard String(decoding: text, as: UTF8.self).utf8.elementsEqual(text) else {
      throw .badUTF8(at: offset)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both have the same bytes.
  func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count, let start = baseAddress, let second = other.baseAddress else {
      return count == other.count
    }
    return memcmp(start, second, count) == 0
  }

  /// Whether it sorts before other bytes.
  func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let second = other.baseAddress else {
      return count < other.count
    }
    let order = memcmp(start, second, Swift.min(count, other.count))
    return order == 0 ? count < other.count : order < 0
  }

  /// Whether other bytes, at least one, occur in these; O(bytes), if few places begin as they do.
  func contains(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let second = other.baseAddress, let first = other.first else {
      return true
    }
    var offset = 0
    while offset <= count - other.count,
      let found = memchr(start + offset, Int32(first), count - other.count + 1 - offset)
    {
      if memcmp(found, second, other.count) == 0 { return true }
      offset = start.distance(to: found) + 1
    }
    return false
  }

  /// Whether every byte is below 0x80.
  @inline(__always)
  package var isASCII: Bool {
    guard let first = baseAddress else { return true }
    // The last bytes of a longer text, and both halves of a shorter one, are read as words that overlap.
    if count >= 8 {
      var bits = first.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      var index = 0
      while index &+ 8 < count {
        bits |= first.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      return bits & 0x8080_8080_8080_8080 == 0
    }
    if count >= 4 {
      let bits =
        first.loadUnaligned(as: UInt32.self)
        | first.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return bits & 0x8080_8080 == 0
    }
    var bits: UInt8 = 0
    for index in 0..<count { bits |= first.load(fromByteOffset: index, as: UInt8.self) }
    return bits < 0x80
  }
}

extension UnsafeRawBufferPointer {
  /// Lends a cursor over the bytes, whose offsets count from 0; it is not used after the call.
  package func withCursor<Value>(
    _ body: (inout ByteCursor) throws(RecordError) -> Value
  ) throws(RecordError) -> Value {
    var cursor = ByteCursor(self, start: 0, at: 0)
    return try body(&cursor)
  }
}

extension ArraySlice<UInt8> {
  /// Whether other bytes occur in these one after the other; O(bytes), if few places begin as they do.
  package func contains(bytes other: ArraySlice<UInt8>) -> Bool {
    withUnsafeBytes { bytes in other.withUnsafeBytes { bytes.contains($0) } }
  }

  /// Lends a cursor over the bytes; its offsets are the indices of the slice.
  package func withCursor<Value>(
    _ body: (inout ByteCursor) throws(RecordError) -> Value
  ) throws(RecordError) -> Value {
    let start = startIndex
    return try withUnsafeBufferPointer { bytes throws(RecordError) in
      var cursor = ByteCursor(UnsafeRawBufferPointer(bytes), start: start, at: start)
      return try body(&cursor)
    }
  }
}
