extension HashTrie {
  /// Removes the entity with this ID and returns it, or nil if there is none.
  @inlinable
  mutating func remove(_ id: ID) -> Entity? {
    let hash = TrieHash(id)
    // Looked up first, so that an absent ID copies no nodes.
    guard var root = root.take() else { return nil }
    defer { if count > 0 { self.root = root } }
    guard Node.find(id, hash, in: TrieContents(root)) != nil else { return nil }
    count -= 1
    return withUnsafeMutablePointer(to: &root) { Node.remove(id, hash, at: $0) }
  }
}

extension HashTrieNode {
  /// Removes an existing entity below the node at `place`.
  @inlinable
  static func remove(_ id: Entity.ID, _ hash: TrieHash, at place: Place) -> Entity {
    guard TrieContents<Entity>(at: place).kind == .branch else {
      return removeEntity(id, hash.tag, fromLeafAt: place)
    }
    let slot = hash.slot
    let entity = remove(id, hash.next, at: ownBranch(at: place).child(at: slot))
    let branch = joinLeaves(around: slot, ofBranchAt: place)
    if branch.count == 1 { place.pointee = branch.children.pointee }
    return entity
  }

  @inlinable
  static func removeEntity(
    _ id: Entity.ID,
    _ tag: UInt8,
    fromLeafAt place: Place
  ) -> Entity {
    let old = TrieContents<Entity>(at: place)
    guard let index = old.index(of: id, tag) else {
      fatalError("The entity \(id) was found and then not: its ID hashes differently each time.")
    }
    let last = old.count - 1
    var tags = old.tags
    // In a leaf of more than eight all hashes are equal, and so are all tags.
    if last < 8 { tags[index] = tags[last] }
    if isKnownUniquelyReferenced(&place.pointee) {
      let entity = (old.entities + index).move()
      if index < last {
        (old.entities + index).moveInitialize(from: old.entities + last, count: 1)
      }
      old.tags = tags
      old.count = last
      return entity
    }
    let copy = makeLeaf(tags, count: last)
    let (source, target) = (old.entities, TrieContents(copy).entities)
    let entity = source[index]
    target.initializeBytes(from: source, count: index)
    if index < last {
      (target + index).initializeBytes(from: source + last, count: 1)
      (target + index + 1).initializeBytes(from: source + index + 1, count: last - index - 1)
    }
    place.pointee = copy
    return entity
  }

  /// Joins the leaf around a slot of an owned branch with its neighbour as long as both are small.
  @inlinable
  static func joinLeaves(around slot: Int, ofBranchAt place: Place) -> TrieContents<Entity> {
    let branch = TrieContents<Entity>(at: place)
    while true {
      let slots = branch.slots
      let range = slots.range(around: slot)
      guard range.count < 16 else { return branch }
      // Two halves of one range start at the same multiple of its length.
      let lower = range.lowerBound & ~range.count
      let upper = lower + range.count
      guard slots.range(around: lower).count == range.count,
        slots.range(around: upper).count == range.count,
        join(branch.child(at: lower), branch.child(at: upper))
      else { return branch }
      let rest = branch.count - slots[upper] - 1
      let emptied = branch.child(at: upper)
      emptied.deinitialize(count: 1)
      emptied.moveInitialize(from: emptied + 1, count: rest)
      branch.count -= 1
      branch.slots = TrieSlots(starts: slots.starts & ~(1 << UInt16(upper)))
    }
  }

  /// Moves the entities of both leaves to the first, if both are leaves and small enough; returns
  /// whether they were joined.
  @inlinable
  static func join(_ first: Place, _ second: Place) -> Bool {
    let (a, b) = (TrieContents<Entity>(at: first), TrieContents<Entity>(at: second))
    let (count, added) = (a.count, b.count)
    guard a.kind == .leaf, b.kind == .leaf, count + added <= TrieLimits.joined else {
      return false
    }
    var tags = a.tags
    for index in 0..<added { tags[count + index] = b.tags[index] }
    let leaf = makeLeaf(tags, count: count + added)
    let target = TrieContents(leaf).entities
    transfer(from: first, to: target)
    transfer(from: second, to: target + count)
    first.pointee = leaf
    return true
  }

  /// Moves the entities of a leaf that has no other reference, and copies those of a shared one.
  @inlinable
  static func transfer(from place: Place, to target: UnsafeMutablePointer<Entity>) {
    let leaf = TrieContents<Entity>(at: place)
    let count = leaf.count
    guard isKnownUniquelyReferenced(&place.pointee) else {
      target.initializeBytes(from: leaf.entities, count: count)
      return
    }
    target.moveInitialize(from: leaf.entities, count: count)
    leaf.count = 0
  }
}
