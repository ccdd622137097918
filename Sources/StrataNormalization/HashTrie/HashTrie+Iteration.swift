/// Iterates over the entities of a trie, leaf by leaf.
///
/// The conformance to `Sendable` is unchecked because of the pointers into the nodes of its own trie.
@usableFromInline
struct HashTrieIterator<Entity: Identifiable & Sendable>: @unchecked Sendable {
  @usableFromInline let trie: HashTrie<Entity>
  @usableFromInline var next: TriePath?
  @usableFromInline var entity: UnsafeMutablePointer<Entity>?
  @usableFromInline var remaining: Int

  @inlinable
  init(_ trie: HashTrie<Entity>) {
    self.trie = trie
    next = TriePath()
    entity = nil
    remaining = 0
  }

  /// Always inlined, so that a caller that reads one field loads one field and copies no entity.
  @inlinable
  @inline(__always)
  mutating func nextEntity() -> Entity? {
    if remaining == 0, !advance() { return nil }
    let current = entity.unsafelyUnwrapped
    remaining &-= 1
    entity = current + 1
    return current.pointee
  }

  /// Moves to the next leaf that holds an entity; returns whether there is one.
  @inlinable
  @inline(never)
  mutating func advance() -> Bool {
    guard let root = trie.root else { return false }
    while let path = next {
      let found = HashTrieNode.leaf(at: path, below: TrieContents(root))
      next = found.next
      guard found.leaf.count > 0 else { continue }
      entity = found.leaf.entities
      remaining = found.leaf.count
      return true
    }
    return false
  }
}
