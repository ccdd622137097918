import StrataBase

/// A verified delta whose blocks are read again, one by one, when they are needed: a migration may have changed every
/// entity.
package struct LargeDelta {
  struct Block {
    let first: EntityKey
    let last: EntityKey
    let hash: Checksum
  }

  /// From how many blocks on a delta is not held in memory.
  static let leastBlocks = 4

  private let revision: Revision
  private let journal: Journal
  private(set) var blocks: [Block] = []
  /// Whether all changes so far are in the order of their keys.
  private(set) var isSorted = true

  init(_ revision: Revision, in journal: Journal) {
    self.revision = revision
    self.journal = journal
  }

  /// Adds the next block.
  mutating func add(_ block: ChangeBlock) {
    guard isSorted, let first = block.entries.first, let last = block.entries.last else {
      return isSorted = false
    }
    var before = blocks.last?.last
    isSorted = block.entries.allSatisfy { entry in
      let key = block.key(of: entry)
      defer { before = key }
      return before.map { $0 < key } ?? true
    }
    blocks.append(
      Block(
        first: block.key(of: first).copied,
        last: block.key(of: last).copied,
        hash: Checksum(of: block.bytes)
      )
    )
  }

  /// The first key of the first block that ends at or after a key; nil if there is none.
  ///
  /// O(log blocks).
  func startOfBlock(reaching key: EntityKey) -> EntityKey? {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].last < key { low = middle + 1 } else { high = middle }
    }
    return low < blocks.count ? blocks[low].first : nil
  }

  /// Reads a block again.
  ///
  /// - Throws: `CorruptionError` if it is not the one that was added.
  func read(_ number: Int) throws -> ChangeBlock {
    let place = "block \(number) of delta \(revision)"
    guard let bytes = try journal.block(number, of: revision) else {
      throw CorruptionError("\(place) is missing")
    }
    let computed = Checksum(of: bytes)
    guard computed == blocks[number].hash else {
      throw CorruptionError.hashMismatch(
        in: place,
        stored: blocks[number].hash,
        computed: computed
      )
    }
    return try ChangeBlock(bytes, of: place)
  }
}

extension EntityKey {
  /// The key with an ID of its own, so that it does not keep a whole block in memory.
  fileprivate var copied: EntityKey { EntityKey(table: table, id: Array(id)[...]) }
}
