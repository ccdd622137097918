/// The memory of a node, for access without reference counting.
///
/// It does not hold the node; the holder of the root does.
@usableFromInline
struct TrieContents<Entity: Identifiable & Sendable> {
  @usableFromInline typealias Node = HashTrieNode<Entity>

  @usableFromInline let header: UnsafeMutablePointer<TrieHeader>

  @inlinable
  init(_ node: Node) { header = node.withUnsafeMutablePointerToHeader { $0 } }

  /// The contents of the node that is referred to from a place.
  @inlinable
  init(at place: UnsafeMutablePointer<Node>) {
    let node = UnsafeRawPointer(place).load(as: Unmanaged<Node>.self)
    header = node._withUnsafeGuaranteedRef { $0.withUnsafeMutablePointerToHeader { $0 } }
  }

  @inlinable var kind: TrieHeader.Kind { header.pointee.kind }

  /// How many entities or children there are.
  @inlinable
  var count: Int {
    get { Int(header.pointee.count) }
    nonmutating set { header.pointee.count = UInt32(newValue) }
  }

  @inlinable
  var tail: UnsafeMutableRawPointer { UnsafeMutableRawPointer(header + 1) }
}

/// The contents of a leaf.
extension TrieContents {
  @inlinable
  var entities: UnsafeMutablePointer<Entity> {
    tail.alignedUp(for: Entity.self).assumingMemoryBound(to: Entity.self)
  }

  @inlinable
  var tags: TrieTags {
    get { TrieTags(header.pointee.word) }
    nonmutating set { header.pointee.word = newValue.bits }
  }

  /// The index in the leaf of the entity with this ID.
  @inlinable
  func index(of id: Entity.ID, _ tag: UInt8) -> Int? {
    let count = count
    var matches = tags.matches(tag, among: count)
    while matches != 0 {
      let index = matches.trailingZeroBitCount / 8
      if entities[index].id == id { return index }
      matches &= matches &- 1
    }
    guard count > 8 else { return nil }
    return (8..<count).first { entities[$0].id == id }
  }
}

/// The contents of a branch.
extension TrieContents {
  @inlinable
  var children: UnsafeMutablePointer<Node> { tail.assumingMemoryBound(to: Node.self) }

  @inlinable
  var slots: TrieSlots {
    get { TrieSlots(header.pointee.word) }
    nonmutating set { header.pointee.word = newValue.bits }
  }

  /// The place of the child that a slot leads to.
  @inlinable
  func child(at slot: Int) -> UnsafeMutablePointer<Node> { children + slots[slot] }
}
