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
