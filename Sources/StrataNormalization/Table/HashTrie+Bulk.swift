extension HashTrie {
  /// Creates a trie of the entities; of two with the same ID, the later one is kept.
  ///
  /// All entities are hashed and all nodes created first. Then the entities are copied in the order of
  /// the buffer, because what they refer to is mostly in memory in that order too.
  @inlinable
  init(_ entities: UnsafeBufferPointer<Entity>) {
    self.init()
    guard !entities.isEmpty else { return }
    build(
      entities.count,
      hashing: { entries in
        for index in 0..<entities.count {
          entries.initializeElement(at: index, to: TrieEntry(entities[index].id, index))
        }
      },
      sameID: { entities[$0].id == entities[$1].id },
      placing: { targets in
        for index in 0..<entities.count { targets[index]?.initialize(to: entities[index]) }
      }
    )
  }

  /// Creates a trie by moving the entities of all buffers; of two with the same ID, the later one is
  /// kept.
  @inlinable
  init(moving buffers: [EntityBuffer<Entity>]) where Entity: EntityType {
    self.init()
    let pieces = buffers.map { $0.take() }
    // The first position in each piece.
    var starts: [Int] = []
    var total = 0
    for piece in pieces {
      starts.append(total)
      total += piece.count
    }
    guard total > 0 else { return }
    build(
      total,
      hashing: { entries in
        for (piece, start) in zip(pieces, starts) {
          for index in 0..<piece.count {
            let position = start &+ index
            entries.initializeElement(at: position, to: TrieEntry(piece[index].id, position))
          }
        }
      },
      sameID: { a, b in
        let (first, second) = (
          starts.lastIndex { $0 <= a } ?? 0, starts.lastIndex { $0 <= b } ?? 0
        )
        return pieces[first][a - starts[first]].id == pieces[second][b - starts[second]].id
      },
      placing: { targets in
        for (piece, start) in zip(pieces, starts) {
          guard let base = piece.baseAddress else { continue }
          for index in 0..<piece.count {
            if let target = targets[start &+ index] {
              target.moveInitialize(from: base + index, count: 1)
            } else {
              (base + index).deinitialize(count: 1)
            }
          }
        }
      }
    )
    withExtendedLifetime(buffers) {}
  }

  /// Creates the nodes for `total` entities.
  ///
  /// - Parameters:
  ///   - hash: initializes the entries of all entities.
  ///   - sameID: whether the entities at two positions have the same ID.
  ///   - place: puts each entity at its target; the one at a position without a target is left out.
  @inlinable
  mutating func build(
    _ total: Int,
    hashing hash: (UnsafeMutableBufferPointer<TrieEntry>) -> Void,
    sameID: (Int, Int) -> Bool,
    placing place: (UnsafeMutableBufferPointer<UnsafeMutablePointer<Entity>?>) -> Void
  ) {
    let entries = UnsafeMutableBufferPointer<TrieEntry>.allocate(capacity: total)
    defer { entries.deallocate() }
    hash(entries)
    TrieEntry.sort(entries)
    count = TrieEntry.dropEarlier(entries, sameID: sameID)
    let targets = UnsafeMutableBufferPointer<UnsafeMutablePointer<Entity>?>.allocate(
      capacity: total
    )
    defer { targets.deallocate() }
    targets.initialize(repeating: nil)
    let builder = HashTrieBuilder(entries: UnsafeBufferPointer(entries), targets: targets)
    root = builder.node(0..<count, 0)
    place(targets)
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
