/// The child of a branch that each of its sixteen slots leads to: four bits per slot, in one word.
///
/// Children are in the order of their slots. A leaf occupies 1, 2, 4, 8 or 16 slots, starting at a
/// multiple of that number; a branch occupies one.
@usableFromInline
struct TrieSlots: Equatable {
  @usableFromInline let bits: UInt64

  @inlinable
  init(_ bits: UInt64) { self.bits = bits }

  /// Creates slots of children that start at the marked ones; slot 0 is always marked.
  @inlinable
  init(starts: UInt16) {
    var bits: UInt64 = 0
    var child: UInt64 = 0
    for slot in 1..<16 as Range<UInt64> {
      child &+= UInt64(starts &>> UInt16(slot)) & 1
      bits |= child &<< (4 &* slot)
    }
    self.bits = bits
  }

  /// The child that a slot leads to.
  @inlinable
  subscript(slot: Int) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(4 &* slot) & 15) }

  /// The number of children.
  @inlinable
  var childCount: Int { self[15] + 1 }

  /// The slots at which children start.
  @inlinable
  var starts: UInt16 {
    var starts: UInt16 = 1
    for slot in 1..<16 where self[slot] != self[slot - 1] { starts |= 1 << UInt16(slot) }
    return starts
  }

  /// The slots that lead to the same child as this one.
  @inlinable
  func range(around slot: Int) -> Range<Int> {
    let child = self[slot]
    var (lower, upper) = (slot, slot + 1)
    while lower > 0, self[lower - 1] == child { lower -= 1 }
    while upper < 16, self[upper] == child { upper += 1 }
    return lower..<upper
  }

  /// Divides `slots` in halves until each part is one slot or fits into a leaf.
  ///
  /// `bounds[slot]` is the number of entities before a slot. The first slot of each part is marked.
  @inlinable
  static func divide(_ slots: Range<Int>, at bounds: TrieBounds) -> UInt16 {
    let count = bounds[slots.upperBound] - bounds[slots.lowerBound]
    guard slots.count > 1, count > TrieLimits.leaf else { return 1 << UInt16(slots.lowerBound) }
    let middle = slots.lowerBound + slots.count / 2
    return divide(slots.lowerBound..<middle, at: bounds)
      | divide(middle..<slots.upperBound, at: bounds)
  }
}

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
