extension HashTrie {
  /// Whether both hold the same entities; nodes that the two share are not compared.
  ///
  /// `isSame` compares two entities of one ID in different places.
  func holdsTheSame(
    as other: HashTrie,
    isSame: (TrieDifference<Entity>.Place, TrieDifference<Entity>.Place) -> Bool
  ) -> Bool {
    guard count == other.count else { return false }
    guard let root, let other = other.root else { return true }
    // No ID occurs twice, so with equal counts one contains the other only if they are equal.
    return withExtendedLifetime((root, other)) {
      Node.holds(TrieContents(other), TrieContents(root), 0, isSame)
    }
  }
}

extension HashTrieNode {
  /// Whether `whole` holds the same as each entity of `part`.
  ///
  /// Both are nodes of `level`, and `whole` has all hashes that `part` can have.
  static func holds(
    _ whole: TrieContents<Entity>,
    _ part: TrieContents<Entity>,
    _ level: Int,
    _ isSame: (TrieDifference<Entity>.Place, TrieDifference<Entity>.Place) -> Bool
  ) -> Bool {
    if whole.header == part.header { return true }
    guard part.kind == .branch else {
      return (0..<part.count).allSatisfy { index in
        let entity = part.entities + index
        let id = entity.pointee.id
        let other = find(id, TrieHash(id).below(level), in: whole)
        return other.map { isSame(entity, $0) } ?? false
      }
    }
    guard whole.kind == .branch else {
      return (0..<part.count).allSatisfy {
        holds(whole, TrieContents(at: part.children + $0), level + 1, isSame)
      }
    }
    return holdsChildren(whole, part, level, isSame)
  }

  private static func holdsChildren(
    _ whole: TrieContents<Entity>,
    _ part: TrieContents<Entity>,
    _ level: Int,
    _ isSame: (TrieDifference<Entity>.Place, TrieDifference<Entity>.Place) -> Bool
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
        ? holds(whole, child, level, isSame) : holds(other, child, level + 1, isSame)
      guard isHeld else { return false }
    }
    return true
  }
}
