/// Entities by ID in a persistent hash trie: the storage of an ``EntityTable`` and of its indexes.
///
/// A *leaf* holds a few entities in contiguous memory, with a byte of each one's hash in front, so that
/// a lookup compares one word before it compares IDs. A *branch* selects a child by the next four bits
/// of the hash. A leaf may occupy several adjacent slots of its branch, so leaves are split in two and
/// joined in pairs, and stay about two thirds full.
///
/// A copy shares all nodes. A write copies the nodes from the root to one leaf where they are shared and
/// changes them in place where they are not. So a write costs O(log n) however many older copies are
/// held. Besides pointers it copies only one small leaf: copying an entity retains whatever its fields
/// refer to, which is the expensive part.
///
/// The conformance to `Sendable` is unchecked because nodes are changed in place, but only through the
/// only reference to them, and so before another thread can have one.
@usableFromInline
struct HashTrie<Entity: Identifiable & Sendable>: @unchecked Sendable {
  @usableFromInline typealias ID = Entity.ID
  @usableFromInline typealias Node = HashTrieNode<Entity>

  /// Nil when there are no entities.
  @usableFromInline var root: Node?
  @usableFromInline var count: Int

  @inlinable
  init() {
    root = nil
    count = 0
  }

  @inlinable var isEmpty: Bool { count == 0 }
}

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
