extension HashTrie {
  /// How this trie differs from an older one, or from any other.
  ///
  /// Nodes that the two share are skipped: O(different entities · log n) if one was made by changing a
  /// copy of the other, otherwise O(n). `isSame` compares two entities of one ID in different places.
  /// The pointers in the result are valid while both tries are held.
  @inlinable
  func difference(
    from old: HashTrie,
    isSame: (TrieDifference<Entity>.Place, TrieDifference<Entity>.Place) -> Bool
  ) -> TrieDifference<Entity> {
    var difference = TrieDifference<Entity>()
    switch (root, old.root) {
    case (nil, nil): break
    case (let new?, nil): difference.put(all: TrieContents(new))
    case (nil, let old?): difference.remove(all: TrieContents(old))
    case (let new?, let old?):
      difference.compare(TrieContents(new), TrieContents(old), 0, isSame)
    }
    return difference
  }
}

/// The places of the entities in which two tries differ.
@usableFromInline
struct TrieDifference<Entity: Identifiable & Sendable> {
  @usableFromInline typealias Contents = TrieContents<Entity>
  @usableFromInline typealias Place = UnsafeMutablePointer<Entity>

  /// Entities of the new trie that are absent from the old one, or different in it.
  @usableFromInline var put: [Place] = []
  /// Entities of the old trie whose IDs are absent from the new one.
  @usableFromInline var removed: [Place] = []

  @inlinable
  init() {}

  @inlinable
  mutating func put(all new: Contents) { new.forEachEntity { put.append($0) } }

  @inlinable
  mutating func remove(all old: Contents) { old.forEachEntity { removed.append($0) } }

  /// Compares two nodes of `level` whose entities have the same slots in the levels above.
  @inlinable
  mutating func compare(
    _ new: Contents,
    _ old: Contents,
    _ level: Int,
    _ isSame: (Place, Place) -> Bool
  ) {
    if new.header == old.header { return }
    switch (new.kind, old.kind) {
    case (.leaf, .leaf): compareLeaves(new, old, isSame)
    case (.branch, .branch): compareChildren(new, old, level, isSame)
    default:
      new.forEachEntity { compare($0, with: old, level, isSame) }
      old.forEachEntity { remove($0, unlessIn: new, level) }
    }
  }

  @inlinable
  mutating func compareLeaves(
    _ new: Contents,
    _ old: Contents,
    _ isSame: (Place, Place) -> Bool
  ) {
    var common = 0
    for index in 0..<new.count {
      guard let other = old.index(of: new, index) else {
        put.append(new.entities + index)
        continue
      }
      common += 1
      if !isSame(new.entities + index, old.entities + other) { put.append(new.entities + index) }
    }
    guard common < old.count else { return }
    for index in 0..<old.count where new.index(of: old, index) == nil {
      removed.append(old.entities + index)
    }
  }

  @inlinable
  mutating func compareChildren(
    _ new: Contents,
    _ old: Contents,
    _ level: Int,
    _ isSame: (Place, Place) -> Bool
  ) {
    if new.slots == old.slots { return comparePairs(new, old, level, isSame) }
    var slot = 0
    while slot < 16 {
      let child = Contents(at: new.child(at: slot))
      let other = Contents(at: old.child(at: slot))
      if child.header == other.header {
        slot += 1
        continue
      }
      let (range, otherRange) = (new.slots.range(around: slot), old.slots.range(around: slot))
      if range == otherRange {
        compare(child, other, level + 1, isSame)
      } else {
        // One is a leaf of several slots, beside several children of the other.
        let whole = range.count > otherRange.count ? range : otherRange
        new.forEachEntity(in: whole) { compare($0, with: old, level, isSame) }
        old.forEachEntity(in: whole) { remove($0, unlessIn: new, level) }
      }
      slot = max(range.upperBound, otherRange.upperBound)
    }
  }

  /// Compares two branches whose children have the same slots; usually all but one are shared.
  @inlinable
  mutating func comparePairs(
    _ new: Contents,
    _ old: Contents,
    _ level: Int,
    _ isSame: (Place, Place) -> Bool
  ) {
    let (words, otherWords) = (UnsafeRawPointer(new.children), UnsafeRawPointer(old.children))
    for index in 0..<new.count {
      // A child is one reference.
      let place = index * MemoryLayout<UInt>.stride
      let word = words.load(fromByteOffset: place, as: UInt.self)
      if word == otherWords.load(fromByteOffset: place, as: UInt.self) { continue }
      let (child, other) = (Contents(at: new.children + index), Contents(at: old.children + index))
      compare(child, other, level + 1, isSame)
    }
  }

  @inlinable
  mutating func compare(
    _ entity: Place,
    with old: Contents,
    _ level: Int,
    _ isSame: (Place, Place) -> Bool
  ) {
    let id = entity.pointee.id
    let other = HashTrieNode.find(id, TrieHash(id).below(level), in: old)
    if let other, other == entity || isSame(entity, other) { return }
    put.append(entity)
  }

  @inlinable
  mutating func remove(_ entity: Place, unlessIn new: Contents, _ level: Int) {
    let id = entity.pointee.id
    if HashTrieNode.find(id, TrieHash(id).below(level), in: new) == nil { removed.append(entity) }
  }
}

extension TrieContents {
  /// Calls `body` with every entity below a node.
  @inlinable
  func forEachEntity(_ body: (UnsafeMutablePointer<Entity>) -> Void) {
    switch kind {
    case .leaf: for index in 0..<count { body(entities + index) }
    case .branch: for index in 0..<count { TrieContents(at: children + index).forEachEntity(body) }
    }
  }

  /// Calls `body` with every entity below the slots of a branch; the range is one of whole children.
  @inlinable
  func forEachEntity(in slots: Range<Int>, _ body: (UnsafeMutablePointer<Entity>) -> Void) {
    let (first, last) = (self.slots[slots.lowerBound], self.slots[slots.upperBound - 1])
    for index in first...last { TrieContents(at: children + index).forEachEntity(body) }
  }

  /// The index in this leaf of the entity with the ID of one of another leaf; usually the same index.
  @inlinable
  func index(of other: TrieContents, _ index: Int) -> Int? {
    let id = other.entities[index].id
    if index < count, entities[index].id == id { return index }
    return self.index(of: id, index < 8 ? other.tags[index] : TrieHash(id).tag)
  }
}
