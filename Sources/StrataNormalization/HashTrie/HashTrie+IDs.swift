/// The IDs of the entities of a trie.
@usableFromInline
struct HashTrieIDs<Entity: Identifiable & Sendable>: Collection, Sendable {
  @usableFromInline typealias Element = Entity.ID

  /// The position of an entity: the path to its leaf, and its index there.
  @usableFromInline
  struct Index: Comparable, Sendable {
    /// Nil at the end.
    @usableFromInline let path: TriePath?
    @usableFromInline let offset: Int

    @inlinable
    init(_ path: TriePath?, _ offset: Int) {
      self.path = path
      self.offset = offset
    }

    @inlinable
    static func < (a: Index, b: Index) -> Bool {
      guard let path = a.path else { return false }
      guard let other = b.path else { return true }
      return (path, a.offset) < (other, b.offset)
    }
  }

  @usableFromInline
  struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var entities: HashTrieIterator<Entity>

    @inlinable
    init(_ trie: HashTrie<Entity>) { entities = HashTrieIterator(trie) }

    @inlinable
    mutating func next() -> Entity.ID? { entities.nextEntity()?.id }
  }

  @usableFromInline let trie: HashTrie<Entity>

  @inlinable
  init(_ trie: HashTrie<Entity>) { self.trie = trie }

  @inlinable
  func makeIterator() -> Iterator { Iterator(trie) }

  @inlinable var count: Int { trie.count }

  @inlinable var startIndex: Index { trie.isEmpty ? endIndex : index(0, after: TriePath()) }

  @inlinable var endIndex: Index { Index(nil, 0) }

  @inlinable
  subscript(index: Index) -> Entity.ID {
    guard let path = index.path, let root = trie.root else {
      fatalError("There is no ID at endIndex: compare the index with endIndex first.")
    }
    return withExtendedLifetime(root) {
      HashTrieNode.leaf(at: path, below: TrieContents(root)).leaf.entities[index.offset].id
    }
  }

  @inlinable
  func index(after index: Index) -> Index { self.index(index, offsetBy: 1) }

  /// O(distance), one leaf at a time.
  @inlinable
  func index(_ index: Index, offsetBy distance: Int) -> Index {
    guard let path = index.path else {
      if distance > 0 { fatalError("There is no index after endIndex.") }
      return index
    }
    return self.index(index.offset + distance, after: path)
  }

  /// The index of the entity that is `offset` after the first one of a leaf.
  @inlinable
  func index(_ offset: Int, after path: TriePath) -> Index {
    guard let root = trie.root else { return endIndex }
    return withExtendedLifetime(root) {
      var offset = offset
      var path = path
      while true {
        let found = HashTrieNode.leaf(at: path, below: TrieContents(root))
        if offset < found.leaf.count { return Index(path, offset) }
        offset -= found.leaf.count
        guard let next = found.next else { return endIndex }
        path = next
      }
    }
  }
}
