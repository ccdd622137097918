/// The hash of an entity that is to be inserted, and its position among them.
@usableFromInline
struct TrieEntry {
  @usableFromInline let hash: UInt
  @usableFromInline let position: Int

  @inlinable
  init(_ id: some Hashable, _ position: Int) {
    hash = TrieHash(id).rest
    self.position = position
  }

  /// The slot at a level.
  @inlinable
  func slot(_ level: Int) -> Int {
    Int(truncatingIfNeeded: hash &>> UInt(UInt.bitWidth &- 4 &- 4 &* level) & 15)
  }

  @inlinable var tag: UInt8 { UInt8(truncatingIfNeeded: hash) }
}
