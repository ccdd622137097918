/// The hash of an ID as the trie uses it: four bits per level from the top, and the lowest byte as the
/// tag of the entity within its leaf.
@usableFromInline
struct TrieHash {
  /// The hash below the levels passed; the next slot is in the highest bits.
  @usableFromInline var rest: UInt
  @usableFromInline let tag: UInt8

  @inlinable
  init(_ id: some Hashable) {
    rest = UInt(bitPattern: id.hashValue)
    tag = UInt8(truncatingIfNeeded: rest)
  }

  /// The slot at the current level.
  @inlinable
  var slot: Int { Int(rest &>> UInt(UInt.bitWidth - 4)) }

  /// The hash for the next level.
  @inlinable
  var next: TrieHash {
    var next = self
    next.rest = rest &<< 4
    return next
  }

  /// The number of levels a hash has bits for; below them are entities with equal hashes.
  @inlinable
  static var levels: Int { UInt.bitWidth / 4 }

  /// The hash for the nodes of a level.
  @inlinable
  func below(_ level: Int) -> TrieHash {
    var below = self
    below.rest = rest << UInt(4 * level)
    return below
  }
}
