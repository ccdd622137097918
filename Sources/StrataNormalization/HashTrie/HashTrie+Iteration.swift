/// Goes through the entities of a trie, leaf by leaf.
///
/// Unchecked for the pointers into the nodes that its trie, a value of its own, keeps alive.
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

  /// To be inlined, so that a caller who wants one field loads one field and copies no entity.
  @inlinable
  @inline(__always)
  mutating func nextEntity() -> Entity? {
    if remaining == 0, !advance() { return nil }
    let current = entity.unsafelyUnwrapped
    remaining &-= 1
    entity = current + 1
    return current.pointee
  }

  /// Goes to the next leaf that holds an entity; whether there is one.
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
