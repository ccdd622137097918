/// Creates the nodes for entities that are copied or moved later, and the target place of each.
///
/// The caller completes the nodes by copying or moving every entity to its target, in the order in which
/// the entities are in memory, which is the fastest.
@usableFromInline
struct HashTrieBuilder<Entity: Identifiable & Sendable> {
  @usableFromInline typealias Node = HashTrieNode<Entity>

  /// In the order of their hashes.
  @usableFromInline let entries: UnsafeBufferPointer<TrieEntry>
  /// By the position of the entity; nil for one that is left out.
  @usableFromInline let targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Entity>?>

  @inlinable
  init(
    entries: UnsafeBufferPointer<TrieEntry>,
    targets: UnsafeMutableBufferPointer<UnsafeMutablePointer<Entity>?>
  ) {
    self.entries = entries
    self.targets = targets
  }

  /// The node of a run of entries that share the slots of all levels above.
  @inlinable
  func node(_ run: Range<Int>, _ level: Int) -> Node {
    guard run.count > TrieLimits.leaf, level < TrieHash.levels else { return leaf(run) }
    let bounds = TrieBounds(entries, run, level)
    let slots = TrieSlots(starts: TrieSlots.divide(0..<16, at: bounds))
    let branch = Node.makeBranch(slots)
    initialize(TrieContents(branch).children, slots.starts, upTo: 16, bounds)
    return branch
  }

  /// Creates the children that start at `starts`, the last of which ends before `end`.
  @inlinable
  func initialize(
    _ children: UnsafeMutablePointer<Node>,
    _ starts: UInt16,
    upTo end: Int,
    _ bounds: TrieBounds
  ) {
    var child = children
    var remaining = starts
    while remaining != 0 {
      let first = remaining.trailingZeroBitCount
      remaining &= remaining &- 1
      let last = remaining == 0 ? end : remaining.trailingZeroBitCount
      child.initialize(to: node(bounds[first]..<bounds[last], bounds.level + 1))
      child += 1
    }
  }

  @inlinable
  func leaf(_ run: Range<Int>) -> Node {
    var tags = TrieTags()
    for index in 0..<min(run.count, 8) { tags[index] = entries[run.lowerBound + index].tag }
    let leaf = Node.makeLeaf(tags, count: run.count)
    var target = TrieContents(leaf).entities
    for entry in run {
      targets[entries[entry].position] = target
      target += 1
    }
    return leaf
  }

  /// Replaces one leaf of an owned branch by nodes of all entries.
  @inlinable
  func replaceChild(_ place: Node.Place, of parent: Node.Place, _ level: Int) {
    let run = 0..<entries.count
    let old = TrieContents<Entity>(at: parent)
    let range = old.slots.range(around: entries[0].slot(level - 1))
    let bounds = TrieBounds(entries, run, level - 1)
    let starts = TrieSlots.divide(range, at: bounds)
    guard starts.nonzeroBitCount > 1 else {
      place.pointee = node(run, level)
      return
    }
    let slots = TrieSlots(starts: old.slots.starts | starts)
    let branch = Node.makeBranch(slots)
    let (source, target) = (old.children, TrieContents(branch).children)
    let (before, added) = (place - source, starts.nonzeroBitCount)
    target.moveInitialize(from: source, count: before)
    initialize(target + before, starts, upTo: range.upperBound, bounds)
    let after = old.count - before - 1
    (target + before + added).moveInitialize(from: source + before + 1, count: after)
    place.deinitialize(count: 1)
    old.count = 0
    parent.pointee = branch
  }
}
