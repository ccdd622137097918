extension HashTrie {
  /// Changes the entity with this ID, in place unless a copy of the trie shares it, and returns the
  /// result of `change`; nil if there is no such entity.
  ///
  /// The ID must not change.
  @inlinable
  mutating func modify<R>(_ id: ID, _ change: (inout Entity) -> R) -> R? {
    let hash = TrieHash(id)
    guard var root = root.take() else { return nil }
    defer { self.root = root }
    guard Node.find(id, hash, in: TrieContents(root)) != nil else { return nil }
    return withUnsafeMutablePointer(to: &root) { Node.modify(id, hash, at: $0, change) }
  }
}

extension HashTrieNode {
  /// Changes an existing entity below the node at `root`.
  @inlinable
  static func modify<R>(
    _ id: Entity.ID,
    _ hash: TrieHash,
    at root: Place,
    _ change: (inout Entity) -> R
  ) -> R? {
    var hash = hash
    var place = root
    while TrieContents<Entity>(at: place).kind == .branch {
      place = ownBranch(at: place).child(at: hash.slot)
      hash = hash.next
    }
    let leaf = ownLeaf(at: place)
    return leaf.index(of: id, hash.tag).map { change(&leaf.entities[$0]) }
  }

  /// The contents of the leaf at `place`, which is copied first if it is shared.
  @inlinable
  static func ownLeaf(at place: Place) -> TrieContents<Entity> {
    let old = TrieContents<Entity>(at: place)
    if isKnownUniquelyReferenced(&place.pointee) { return old }
    let copy = makeLeaf(old.tags, count: old.count)
    let new = TrieContents(copy)
    new.entities.initializeBytes(from: old.entities, count: old.count)
    place.pointee = copy
    return new
  }
}
