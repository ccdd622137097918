extension HashTrie {
  /// Inserts an entity, or replaces the one with its ID.
  @inlinable
  mutating func insert(_ entity: Entity) { insert(entity, TrieHash(entity.id)) }

  /// The same with the hash of its ID.
  @inlinable
  mutating func insert(_ entity: Entity, _ hash: TrieHash) {
    guard var root = root.take() else {
      root = Node.makeLeaf(of: entity, hash)
      count = 1
      return
    }
    if withUnsafeMutablePointer(to: &root, { Node.insert(entity, hash, at: $0) }) { count += 1 }
    self.root = root
  }
}

extension HashTrieNode {
  @usableFromInline typealias Place = UnsafeMutablePointer<HashTrieNode>

  @inlinable
  static func makeLeaf(of entity: Entity, _ hash: TrieHash) -> HashTrieNode {
    let leaf = makeLeaf(TrieTags(UInt64(hash.tag)), count: 1)
    TrieContents(leaf).entities.initialize(to: entity)
    return leaf
  }

  /// Inserts an entity below the node at `root`, or replaces it; returns whether it is new.
  @inlinable
  static func insert(_ entity: Entity, _ hash: TrieHash, at root: Place) -> Bool {
    var hash = hash
    var place = root
    var parent: Place?
    var level = 0
    var contents = TrieContents(at: place)
    while contents.kind == .branch {
      contents = ownBranch(at: place)
      parent = place
      place = contents.child(at: hash.slot)
      contents = TrieContents(at: place)
      hash = hash.next
      level += 1
    }
    if let index = contents.index(of: entity.id, hash.tag) {
      replaceEntity(at: index, with: entity, inLeafAt: place)
      return false
    }
    if contents.count < TrieLimits.leaf || level == TrieHash.levels {
      append(entity, hash.tag, toLeafAt: place)
    } else {
      split(place, of: parent, adding: entity, level)
    }
    return true
  }

  /// The contents of the branch at `place`, which is copied first if it is shared.
  @inlinable
  static func ownBranch(at place: Place) -> TrieContents<Entity> {
    let old = TrieContents<Entity>(at: place)
    if isKnownUniquelyReferenced(&place.pointee) { return old }
    let copy = makeBranch(old.slots)
    let new = TrieContents(copy)
    new.children.initialize(from: old.children, count: old.count)
    place.pointee = copy
    return new
  }

  @inlinable
  static func replaceEntity(at index: Int, with entity: Entity, inLeafAt place: Place) {
    let old = TrieContents<Entity>(at: place)
    if isKnownUniquelyReferenced(&place.pointee) {
      old.entities[index] = entity
      return
    }
    let count = old.count
    let copy = makeLeaf(old.tags, count: count)
    let (source, target) = (old.entities, TrieContents(copy).entities)
    target.initializeBytes(from: source, count: index)
    (target + index).initialize(to: entity)
    (target + index + 1).initializeBytes(from: source + index + 1, count: count - index - 1)
    place.pointee = copy
  }

  @inlinable
  static func append(_ entity: Entity, _ tag: UInt8, toLeafAt place: Place) {
    let old = TrieContents<Entity>(at: place)
    let count = old.count
    let isOwned = isKnownUniquelyReferenced(&place.pointee)
    if isOwned, count & 1 == 1 {
      (old.entities + count).initialize(to: entity)
      old.tags[count] = tag
      old.count = count + 1
      return
    }
    var tags = old.tags
    tags[count] = tag
    let copy = makeLeaf(tags, count: count + 1)
    let target = TrieContents(copy).entities
    if isOwned {
      target.moveInitialize(from: old.entities, count: count)
      old.count = 0
    } else {
      target.initializeBytes(from: old.entities, count: count)
    }
    (target + count).initialize(to: entity)
    place.pointee = copy
  }
}
