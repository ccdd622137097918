/// The last change of every entity that a run of deltas touched.
///
/// It holds the blocks of the deltas whole, so its memory is about their bytes.
struct Overlay {
  private enum Slot {
    case put(block: Int, entry: Int)
    case remove
  }

  private var blocks: [ChangeBlock] = []
  private var slots: [EntityKey: Slot] = [:]

  var isEmpty: Bool { slots.isEmpty }

  /// Lays a block over what was there.
  ///
  /// What could not be persisted leaves what was there. O(entries).
  mutating func add(_ block: ChangeBlock) {
    for (index, entry) in block.entries.enumerated() {
      let key = EntityKey(table: block.table(of: entry), id: block.id(of: entry))
      switch entry.change {
      case .put: slots[key] = .put(block: blocks.count, entry: index)
      case .remove: slots[key] = .remove
      case .notPersisted: continue
      }
    }
    blocks.append(block)
  }

  /// Every entity that was touched, in the order of a snapshot; nil for one that was removed.
  ///
  /// O(n log n). Most are told apart by two numbers, without a look at their bytes.
  func sorted() -> [(key: EntityKey, put: EntityRun?)] {
    let touched = Array(slots)
    let tables = Set(touched.lazy.map { $0.key.table }).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    let places = Dictionary(uniqueKeysWithValues: zip(tables, tables.indices))
    var ranks: [Rank] = []
    ranks.reserveCapacity(touched.count)
    for (index, (key, _)) in touched.enumerated() {
      ranks.append(Rank(key, index, table: places[key.table, default: 0]))
    }
    ranks.sort { a, b in
      if a.table != b.table { return a.table < b.table }
      if a.high != b.high { return a.high < b.high }
      if a.low != b.low { return a.low < b.low }
      return touched[a.index].key < touched[b.index].key
    }
    return ranks.map { (touched[$0.index].key, run(touched[$0.index].value)) }
  }

  private func run(_ slot: Slot) -> EntityRun? {
    guard case .put(let block, let entry) = slot else { return nil }
    return EntityRun(blocks[block], entry..<entry + 1)
  }
}

/// A key's table and the first sixteen bytes of its ID as numbers, which sort as they do.
private struct Rank {
  let index: Int
  let table: Int
  let high: UInt64
  let low: UInt64

  init(_ key: EntityKey, _ index: Int, table: Int) {
    self.index = index
    self.table = table
    var words: (high: UInt64, low: UInt64) = (0, 0)
    key.id.withUnsafeBytes { id in
      withUnsafeMutableBytes(of: &words) { words in
        words.copyBytes(from: id.prefix(words.count))
      }
    }
    (high, low) = (UInt64(bigEndian: words.high), UInt64(bigEndian: words.low))
  }
}
