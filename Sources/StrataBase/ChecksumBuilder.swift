/// Computes one checksum over a sequence of values.
///
/// A value of variable length is preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
/// Integers are 8 bytes, little-endian. The bytes are buffered until `finalize()`: memory O(appended).
package struct ChecksumBuilder: Sendable {
  private var buffer: [UInt8] = []

  /// Creates an empty builder with a capacity in bytes.
  package init(reservingCapacity capacity: Int = 0) {
    buffer.reserveCapacity(capacity)
  }

  /// Appends an integer: 8 bytes.
  package mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
  }

  /// Appends the bit pattern of an integer: 8 bytes.
  package mutating func append(_ number: Int64) {
    append(UInt64(bitPattern: number))
  }

  /// Appends the number of bytes, then the bytes.
  package mutating func append(_ bytes: [UInt8]) {
    append(UInt64(bytes.count))
    buffer.append(contentsOf: bytes)
  }

  /// Appends the number of bytes, then the bytes.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    append(UInt64(bytes.count))
    buffer.append(contentsOf: bytes)
  }

  /// Appends the number of UTF-8 bytes, then the text as UTF-8.
  package mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    buffer.append(contentsOf: text.utf8)
  }

  /// Appends another checksum: its 16 bytes.
  package mutating func append(_ checksum: Checksum) {
    checksum.withBigEndianBytes { buffer.append(contentsOf: $0) }
  }

  /// Starts again, and keeps the memory.
  package mutating func removeAll() { buffer.removeAll(keepingCapacity: true) }

  /// The checksum of everything appended so far.
  ///
  /// O(appended).
  package func finalize() -> Checksum {
    Checksum(of: buffer)
  }
}
