extension HashTrie: Equatable where Entity: Equatable {
  /// Whether both hold equal entities; nodes that the two share are not compared.
  @usableFromInline
  static func == (a: HashTrie, b: HashTrie) -> Bool {
    guard a.count == b.count else { return false }
    guard let a = a.root, let b = b.root else { return true }
    // No ID occurs twice, so with equal counts one contains the other only if they are equal.
    return withExtendedLifetime((a, b)) {
      Node.holds(TrieContents(b), TrieContents(a), 0)
    }
  }
}

extension HashTrieNode where Entity: Equatable {
  /// Whether `whole` holds an equal of each entity of `part`.
  ///
  /// Both are nodes of `level`, and `whole` has all hashes that `part` can have.
  static func holds(
    _ whole: TrieContents<Entity>,
    _ part: TrieContents<Entity>,
    _ level: Int
  ) -> Bool {
    if whole.header == part.header { return true }
    guard part.kind == .branch else {
      return (0..<part.count).allSatisfy { index in
        let entity = part.entities[index]
        let hash = TrieHash(entity.id).below(level)
        return find(entity.id, hash, in: whole)?.pointee == entity
      }
    }
    guard whole.kind == .branch else {
      return (0..<part.count).allSatisfy {
        holds(whole, TrieContents(at: part.children + $0), level + 1)
      }
    }
    return holdsChildren(whole, part, level)
  }

  private static func holdsChildren(
    _ whole: TrieContents<Entity>,
    _ part: TrieContents<Entity>,
    _ level: Int
  ) -> Bool {
    var slot = 0
    while slot < 16 {
      let range = part.slots.range(around: slot)
      slot = range.upperBound
      let child = TrieContents<Entity>(at: part.child(at: range.lowerBound))
      let other = TrieContents<Entity>(at: whole.child(at: range.lowerBound))
      if child.header == other.header { continue }
      // A leaf of several slots may be beside several children, so it is compared from the branch.
      let isHeld =
        child.kind == .leaf
        ? holds(whole, child, level) : holds(other, child, level + 1)
      guard isHeld else { return false }
    }
    return true
  }
}
