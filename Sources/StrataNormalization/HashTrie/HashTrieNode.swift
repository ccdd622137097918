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

/// The sizes of leaves.
@usableFromInline
enum TrieLimits {
  /// The maximum number of entities in a leaf, except for those with equal hashes.
  ///
  /// A higher number makes iteration and bulk creation cheaper; a lower one makes a write cheaper while
  /// an old copy is held.
  @inlinable
  static var leaf: Int { 8 }

  /// The maximum number of entities of two adjacent leaves that are joined: half, so that the next
  /// insert does not split them again.
  @inlinable
  static var joined: Int { leaf / 2 }
}

extension UnsafeMutablePointer {
  /// Copies values to uninitialized memory, including their padding.
  ///
  /// A plain copy leaves the padding between fields unspecified. With the padding copied, a value and
  /// its copy have equal bytes, whatever the type.
  @inlinable
  func initializeBytes(from source: UnsafeMutablePointer, count: Int) {
    initialize(from: source, count: count)
    let bytes = count &* MemoryLayout<Pointee>.stride
    UnsafeMutableRawPointer(self).copyMemory(from: source, byteCount: bytes)
  }

  /// Whether the value here and another have the same bytes.
  ///
  /// While both are held, equal bytes mean an equal value: storage that both refer to is shared, so it
  /// was neither changed in place nor freed and reused. Unequal bytes mean nothing.
  @inlinable
  func hasBytes(of other: UnsafeMutablePointer) -> Bool {
    let size = MemoryLayout<Pointee>.size
    let (a, b) = (UnsafeRawPointer(self), UnsafeRawPointer(other))
    var offset = 0
    while offset &+ 8 <= size {
      let word = a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word != b.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset &+= 8
    }
    while offset < size {
      if a.load(fromByteOffset: offset, as: UInt8.self)
        != b.load(fromByteOffset: offset, as: UInt8.self)
      {
        return false
      }
      offset &+= 1
    }
    return true
  }
}
