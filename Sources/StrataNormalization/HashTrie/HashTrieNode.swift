/// The header of a node, in front of its entities or children.
@usableFromInline
struct TrieHeader {
  @usableFromInline
  enum Kind: UInt8 { case leaf, branch }

  /// The tags of a leaf's entities, or the slots of a branch.
  @usableFromInline var word: UInt64
  /// How many entities or children there are.
  @usableFromInline var count: UInt32
  @usableFromInline let kind: Kind

  @inlinable
  init(kind: Kind, word: UInt64, count: Int) {
    self.kind = kind
    self.word = word
    self.count = UInt32(count)
  }
}

/// A leaf or a branch of a ``HashTrie``, in one allocation with its entities or children.
@usableFromInline
final class HashTrieNode<Entity: Identifiable & Sendable>: ManagedBuffer<TrieHeader, UInt64> {
  @inlinable
  deinit {
    let contents = TrieContents(self)
    switch contents.kind {
    case .leaf: contents.entities.deinitialize(count: contents.count)
    case .branch: contents.children.deinitialize(count: contents.count)
    }
  }

  /// Creates a leaf with capacity for `count` entities, which are not initialized.
  @inlinable
  static func makeLeaf(_ tags: TrieTags, count: Int) -> HashTrieNode {
    // Of even capacity, so that every second insert needs no allocation.
    let bytes = (count + 1) & ~1 &* MemoryLayout<Entity>.stride
    // The allocation is aligned to 16 bytes; a type with a greater alignment is moved up within it.
    let slack = max(0, MemoryLayout<Entity>.alignment - MemoryLayout<UInt64>.alignment)
    let node = make(TrieHeader(kind: .leaf, word: tags.bits, count: count), bytes: bytes + slack)
    let contents = TrieContents(node)
    UnsafeMutableRawPointer(contents.entities).bindMemory(to: Entity.self, capacity: count)
    return node
  }

  /// Creates a branch with capacity for its children, which are not initialized.
  @inlinable
  static func makeBranch(_ slots: TrieSlots) -> HashTrieNode {
    let count = slots.childCount
    let node = make(
      TrieHeader(kind: .branch, word: slots.bits, count: count),
      bytes: count &* MemoryLayout<HashTrieNode>.stride
    )
    TrieContents(node).tail.bindMemory(to: HashTrieNode.self, capacity: count)
    return node
  }

  @inlinable
  static func make(_ header: TrieHeader, bytes: Int) -> HashTrieNode {
    let words = (bytes + 7) / 8
    return unsafeDowncast(create(minimumCapacity: words) { _ in header }, to: HashTrieNode.self)
  }
}
