extension EntityTable {
  /// A fault in the structure of the table, or nil; for tests.
  package func structureFault() -> String? {
    guard let root = storage.root else { return count == 0 ? nil : "count without nodes" }
    var walk = HashTrieWalk<Entity>()
    walk.visit(root, at: 0, path: 0)
    if walk.entities != count { walk.fault = "\(walk.entities) entities, counted as \(count)" }
    if count == 0 { walk.fault = "nodes without entities" }
    return walk.fault
  }

  /// How many leaves the table has.
  package var leafCount: Int {
    var walk = HashTrieWalk<Entity>()
    if let root = storage.root { walk.visit(root, at: 0, path: 0) }
    return walk.leaves
  }

  /// The nodes of the table; a copy shares those below which nothing was written.
  package var nodes: Set<ObjectIdentifier> {
    var walk = HashTrieWalk<Entity>()
    if let root = storage.root { walk.visit(root, at: 0, path: 0) }
    return walk.nodes
  }
}

/// Visits all nodes and checks the invariants that the rest of the code relies on.
private struct HashTrieWalk<Entity: Identifiable & Sendable> {
  var entities = 0
  var leaves = 0
  var nodes: Set<ObjectIdentifier> = []
  var fault: String?

  /// `path` is the hash above `level`, `slots` are those that a leaf occupies in its branch.
  mutating func visit(
    _ node: HashTrieNode<Entity>,
    at level: Int,
    path: UInt,
    slots: Range<Int>? = nil
  ) {
    nodes.insert(ObjectIdentifier(node))
    let contents = TrieContents(node)
    switch contents.kind {
    case .leaf: visit(leaf: contents, level, path, slots)
    case .branch: visit(branch: contents, level, path, slots)
    }
  }

  private mutating func visit(
    leaf: TrieContents<Entity>,
    _ level: Int,
    _ path: UInt,
    _ slots: Range<Int>?
  ) {
    leaves += 1
    entities += leaf.count
    if Int(bitPattern: leaf.entities) % MemoryLayout<Entity>.alignment != 0 {
      fault = "entities that are not aligned"
    }
    if leaf.count > TrieLimits.leaf, level < TrieHash.levels {
      fault = "\(leaf.count) entities in a leaf"
    }
    for index in 0..<leaf.count {
      let entry = TrieEntry(leaf.entities[index].id, 0)
      if index < 8, leaf.tags[index] != entry.tag { fault = "a tag of another hash" }
      let above = slots == nil ? level : level - 1
      if above > 0, entry.hash >> UInt(UInt.bitWidth - 4 * above) != path {
        fault = "an entity in a branch of other hashes"
      }
      if let slots, !slots.contains(entry.slot(level - 1)) { fault = "an entity in another slot" }
    }
  }

  private mutating func visit(
    branch: TrieContents<Entity>,
    _ level: Int,
    _ path: UInt,
    _ slots: Range<Int>?
  ) {
    if let slots, slots.count > 1 { fault = "a branch of \(slots.count) slots" }
    if branch.count != branch.slots.childCount { fault = "slots that lead nowhere" }
    if branch.count < 2 { fault = "a branch of one child" }
    let path = slots.map { path << 4 | UInt($0.lowerBound) } ?? path
    var slot = 0
    while slot < 16 {
      let range = branch.slots.range(around: slot)
      slot = range.upperBound
      if range.count.nonzeroBitCount != 1 || !range.lowerBound.isMultiple(of: range.count) {
        fault = "slots \(range) of one child"
      }
      let child = branch.child(at: range.lowerBound).pointee
      visit(child, at: level + 1, path: path, slots: range)
    }
  }
}
