/// One byte of the hash of each of the first eight entities of a leaf, in one word.
@usableFromInline
struct TrieTags: Equatable {
  @usableFromInline var bits: UInt64

  @inlinable
  init(_ bits: UInt64 = 0) { self.bits = bits }

  /// The tag of an entity; those after the eighth have none.
  @inlinable
  subscript(index: Int) -> UInt8 {
    get { UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)) }
    set {
      guard index < 8 else { return }
      bits = bits & ~(0xFF << UInt64(8 * index)) | UInt64(newValue) << UInt64(8 * index)
    }
  }

  /// The highest bit of each byte that equals the tag, among the first `count`.
  ///
  /// The exact form of the zero byte test of Henry S. Warren, Hacker's Delight, section 6-1.
  @inlinable
  func matches(_ tag: UInt8, among count: Int) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let differing = bits ^ (UInt64(tag) &* 0x0101_0101_0101_0101)
    let nonzero = ((differing & low) &+ low) | differing | low
    return ~nonzero & ~(UInt64.max << UInt64(8 * count))
  }
}
