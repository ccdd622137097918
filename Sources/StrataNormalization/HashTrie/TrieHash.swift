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

/// The path to a leaf: the number of the child at each level, four bits per level from the top.
///
/// Paths are in the order of iteration.
@usableFromInline
struct TriePath: Comparable, Sendable {
  @usableFromInline var bits: UInt64

  @inlinable
  init() { bits = 0 }

  @inlinable
  subscript(level: Int) -> Int { Int(truncatingIfNeeded: bits &>> UInt64(60 &- 4 &* level) & 15) }

  /// The first path whose child at this level is the next one.
  @inlinable
  func next(at level: Int) -> TriePath {
    let place = UInt64(60 &- 4 &* level)
    var next = self
    next.bits = ((bits &>> place) &+ 1) &<< place
    return next
  }

  @inlinable
  static func < (a: TriePath, b: TriePath) -> Bool { a.bits < b.bits }
}

extension HashTrieNode {
  /// The leaf at a path, and the path to the leaf after it.
  @inlinable
  static func leaf(
    at path: TriePath,
    below root: TrieContents<Entity>
  ) -> (leaf: TrieContents<Entity>, next: TriePath?) {
    var contents = root
    var level = 0
    var turn: Int?
    while contents.kind == .branch {
      let child = path[level]
      if child + 1 < contents.count { turn = level }
      contents = TrieContents(at: contents.children + child)
      level += 1
    }
    return (contents, turn.map { path.next(at: $0) })
  }
}
