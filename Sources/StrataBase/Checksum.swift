/// A 128-bit checksum: XXH64 under two seeds.
///
/// It detects accidents (a flipped bit, a torn write, a file edited by mistake). It is **not a
/// signature**: anyone who can write the file can also write content that matches a checksum.
///
/// 64 bits are too few to identify content: among 10⁸ layouts and deltas, two share a 64-bit hash with
/// a probability of 1 in 3,700. With 128 bits, if the halves are independent, it is below 10⁻²².
///
/// The stored form is the hash under seed 0, then the hash under `secondSeed`, both big-endian.
package struct Checksum: Hashable, Sendable {
  /// The number of this algorithm in files.
  package static let algorithm: UInt8 = 1
  /// The size of a stored checksum in bytes.
  package static let byteCount = 16
  /// The seed of the second half: "Strata" in ASCII, then 0x0001.
  package static let secondSeed: UInt64 = 0x5374_7261_7461_0001

  private let first: UInt64
  private let second: UInt64

  /// The checksum of some bytes.
  ///
  /// O(bytes), without allocation.
  package init(of bytes: UnsafeRawBufferPointer) {
    first = XXH64.hash(bytes, seed: 0)
    second = XXH64.hash(bytes, seed: Self.secondSeed)
  }

  /// The checksum of some bytes.
  ///
  /// O(bytes), without allocation.
  package init(of bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { Checksum(of: $0) }
  }

  /// Reads a stored checksum; nil unless there are 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    first = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    second = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads a stored checksum where it lies; nil unless there are 16 bytes.
  package init?(stored bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    first = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    second = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// The 16 bytes to store.
  package var bytes: [UInt8] {
    withBigEndianBytes { [UInt8]($0) }
  }

  /// Calls a closure with the 16 bytes to store.
  func withBigEndianBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withUnsafeBytes(of: (first.bigEndian, second.bigEndian), body)
  }
}

extension Checksum: CustomStringConvertible {
  /// 32 digits of lower-case hex.
  package var description: String {
    [first, second].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}

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
