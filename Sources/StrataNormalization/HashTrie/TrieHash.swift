/// The hash of an ID as the trie reads it: four bits a level from the top, and the lowest byte as
/// the tag of the entity within its leaf.
@usableFromInline
struct TrieHash {
  /// What is left of the hash below the levels passed; the next slot is in the highest bits.
  @usableFromInline var rest: UInt
  @usableFromInline let tag: UInt8

  @inlinable
  init(_ id: some Hashable) {
    rest = UInt(bitPattern: id.hashValue)
    tag = UInt8(truncatingIfNeeded: rest)
  }

  /// The slot at the present level.
  @inlinable
  var slot: Int { Int(rest &>> UInt(UInt.bitWidth - 4)) }

  /// The hash as the next level reads it.
  @inlinable
  var next: TrieHash {
    var next = self
    next.rest = rest &<< 4
    return next
  }

  /// How many levels a hash has bits for; below them are the entities whose hashes are equal.
  @inlinable
  static var levels: Int { UInt.bitWidth / 4 }

  /// The hash as the nodes of a level read it.
  @inlinable
  func below(_ level: Int) -> TrieHash {
    var below = self
    below.rest = rest << UInt(4 * level)
    return below
  }
}
