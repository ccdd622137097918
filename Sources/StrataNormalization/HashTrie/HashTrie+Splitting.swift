extension HashTrieNode {
  /// Splits a full leaf and inserts one more entity.
  ///
  /// `place` is in the branch at `parent`, which has no other reference; without a parent it is the root.
  /// Nodes of `level` take their slot from the hash `level` levels down.
  @inlinable
  static func split(_ place: Place, of parent: Place?, adding entity: Entity, _ level: Int) {
    let old = TrieContents<Entity>(at: place)
    let count = old.count
    withUnsafeTemporaryAllocation(of: TrieEntry.self, capacity: count + 1) { entries in
      for index in 0..<count {
        entries.initializeElement(at: index, to: TrieEntry(old.entities[index].id, index))
      }
      entries.initializeElement(at: count, to: TrieEntry(entity.id, count))
      TrieEntry.sort(entries)
      withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<Entity>?.self,
        capacity: count + 1
      ) { targets in
        let builder = HashTrieBuilder(entries: UnsafeBufferPointer(entries), targets: targets)
        let isOwned = isKnownUniquelyReferenced(&place.pointee)
        let leaf = place.pointee
        if let parent {
          builder.replaceChild(place, of: parent, level)
        } else {
          place.pointee = builder.node(0..<count + 1, level)
        }
        withExtendedLifetime(leaf) {
          for index in 0..<count {
            let source = old.entities + index
            if isOwned {
              targets[index]?.moveInitialize(from: source, count: 1)
            } else {
              targets[index]?.initializeBytes(from: source, count: 1)
            }
          }
          if isOwned { old.count = 0 }
          targets[count]?.initialize(to: entity)
        }
      }
    }
  }
}
