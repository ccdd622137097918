extension HashTrie {
  /// Creates a trie of the entities; of two with the same ID, the later one is kept.
  ///
  /// All entities are hashed and all nodes created first. Then the entities are copied in the order of
  /// the buffer, because what they refer to is mostly in memory in that order too.
  @inlinable
  init(_ entities: UnsafeBufferPointer<Entity>) {
    self.init()
    guard !entities.isEmpty else { return }
    let entries = UnsafeMutableBufferPointer<TrieEntry>.allocate(capacity: entities.count)
    defer { entries.deallocate() }
    for index in 0..<entities.count {
      entries.initializeElement(at: index, to: TrieEntry(entities[index].id, index))
    }
    TrieEntry.sort(entries)
    count = TrieEntry.dropEarlier(entries) { entities[$0].id == entities[$1].id }
    let targets = UnsafeMutableBufferPointer<UnsafeMutablePointer<Entity>?>.allocate(
      capacity: entities.count
    )
    defer { targets.deallocate() }
    targets.initialize(repeating: nil)
    let builder = HashTrieBuilder(entries: UnsafeBufferPointer(entries), targets: targets)
    root = builder.node(0..<count, 0)
    for index in 0..<entities.count { targets[index]?.initialize(to: entities[index]) }
  }
}

extension TrieEntry {
  /// Moves the last entry of each ID to the front, and returns their number.
  ///
  /// The entries are in the order of their hashes, those with the same hash in the order of their
  /// positions.
  @inlinable
  static func dropEarlier(
    _ entries: UnsafeMutableBufferPointer<TrieEntry>,
    sameID: (Int, Int) -> Bool
  ) -> Int {
    var kept = 0
    var first = 0
    while first < entries.count {
      var end = first + 1
      while end < entries.count, entries[end].hash == entries[first].hash { end += 1 }
      for index in first..<end {
        let entry = entries[index]
        let isReplaced = (index + 1..<end).contains { sameID(entry.position, entries[$0].position) }
        if isReplaced { continue }
        entries[kept] = entry
        kept += 1
      }
      first = end
    }
    return kept
  }
}
