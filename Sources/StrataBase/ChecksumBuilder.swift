/// Puts values one after the other into the bytes of one checksum.
///
/// Whatever has no fixed length is preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
/// Integers are 8 bytes, little-endian. The bytes are kept until `finalize()`: memory O(appended).
package struct ChecksumBuilder: Sendable {
  private var buffer: [UInt8] = []

  /// An empty builder with room for some bytes.
  package init(reservingCapacity capacity: Int = 0) {
    buffer.reserveCapacity(capacity)
  }

  /// Adds an integer: 8 bytes.
  package mutating func append(_ number: UInt64) {
    withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
  }

  /// Adds an integer by its bit pattern: 8 bytes.
  package mutating func append(_ number: Int64) {
    append(UInt64(bitPattern: number))
  }

  /// Adds bytes after their number.
  package mutating func append(_ bytes: [UInt8]) {
    append(UInt64(bytes.count))
    buffer.append(contentsOf: bytes)
  }

  /// Adds bytes after their number.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    append(UInt64(bytes.count))
    buffer.append(contentsOf: bytes)
  }

  /// Adds a text as UTF-8 after the number of its bytes.
  package mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    buffer.append(contentsOf: text.utf8)
  }

  /// Adds another checksum: its 16 bytes.
  package mutating func append(_ checksum: Checksum) {
    checksum.withBigEndianBytes { buffer.append(contentsOf: $0) }
  }

  /// The checksum of everything appended so far.
  ///
  /// O(appended).
  package func finalize() -> Checksum {
    Checksum(of: buffer)
  }
}
