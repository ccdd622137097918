/// 128 bits that tell two byte sequences apart: XXH64 under two seeds.
///
/// It finds accidents (a flipped bit, a torn write, a file edited by mistake) and is **no signature**:
/// whoever may write the file can make content that fits a checksum. 128 bits, because 64 are too few to
/// identify by: among 10⁸ layouts and deltas two would share a 64-bit hash with a chance of 1 in 3,700;
/// with 128, the halves taken as independent, it is below 10⁻²².
///
/// As bytes: the hash under seed 0, then the one under `secondSeed`, both big-endian.
package struct Checksum: Hashable, Sendable {
  /// The number that files carry for this algorithm.
  package static let algorithm: UInt8 = 1
  /// The bytes of a checksum as stored.
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

  /// A checksum as it was stored; nil unless there are 16 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    first = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    second = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 16 bytes to store.
  package var bytes: [UInt8] {
    withBigEndianBytes { [UInt8]($0) }
  }

  /// Lends the 16 bytes to store.
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
