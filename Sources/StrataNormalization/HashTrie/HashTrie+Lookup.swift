extension HashTrie {
  /// The entity with this ID, or nil.
  ///
  /// Always inlined, so that a caller that reads one field loads one field and copies no entity.
  @inlinable
  @inline(__always)
  subscript(id: ID) -> Entity? { self[id, TrieHash(id)] }

  /// The same with the hash of the ID.
  @inlinable
  @inline(__always)
  subscript(id: ID, hash: TrieHash) -> Entity? {
    guard let root else { return nil }
    return withExtendedLifetime(root) { Node.find(id, hash, in: TrieContents(root))?.pointee }
  }

  @inlinable
  func contains(_ id: ID) -> Bool {
    guard let root else { return false }
    return withExtendedLifetime(root) {
      Node.find(id, TrieHash(id), in: TrieContents(root)) != nil
    }
  }
}

extension HashTrieNode {
  /// The place of the entity with this ID below a node, or nil.
  @inlinable
  static func find(
    _ id: Entity.ID,
    _ hash: TrieHash,
    in start: TrieContents<Entity>
  ) -> UnsafeMutablePointer<Entity>? {
    var hash = hash
    var contents = start
    while contents.kind == .branch {
      contents = TrieContents(at: contents.child(at: hash.slot))
      hash = hash.next
    }
    return contents.index(of: id, hash.tag).map { contents.entities + $0 }
  }
}
