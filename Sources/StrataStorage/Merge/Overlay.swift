/// The last change of every entity that a sequence of deltas changed.
///
/// It holds the blocks of the deltas, so its memory is about their size.
struct Overlay {
  private enum Slot {
    case put(block: Int, entry: Int)
    case remove
  }

  /// The last change of an entity: its new record; nil where it was removed.
  typealias Change = (key: EntityKey, put: EntitySlice?)

  private var blocks: [ChangeBlock] = []
  private var slots: [EntityKey: Slot] = [:]

  var isEmpty: Bool { slots.isEmpty }

  /// Adds the changes of a later block.
  ///
  /// An entity that could not be persisted keeps its previous change. O(entries).
  mutating func add(_ block: ChangeBlock, in scope: ReadScope = .everything) {
    for (index, entry) in block.entries.enumerated() where scope.contains(entry, of: block) {
      let key = EntityKey(table: block.table(of: entry), id: block.id(of: entry))
      switch entry.change {
      case .put: slots[key] = .put(block: blocks.count, entry: index)
      case .remove: slots[key] = .remove
      case .notPersisted: continue
      }
    }
    blocks.append(block)
  }

  /// The last change of every entity, sorted as in a snapshot; nil for a removed one.
  ///
  /// O(n log n). Most keys are ordered by their ``SortKey``, without a comparison of their bytes.
  func sorted() -> [Change] {
    let changes = Array(slots)
    let tables = Set(changes.lazy.map { $0.key.table }).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    let places = Dictionary(uniqueKeysWithValues: zip(tables, tables.indices))
    var sortKeys: [SortKey] = []
    sortKeys.reserveCapacity(changes.count)
    for (index, (key, _)) in changes.enumerated() {
      sortKeys.append(SortKey(key, index, table: places[key.table, default: 0]))
    }
    sortKeys.sort { a, b in
      if a.table != b.table { return a.table < b.table }
      if a.high != b.high { return a.high < b.high }
      if a.low != b.low { return a.low < b.low }
      return changes[a.index].key < changes[b.index].key
    }
    return sortKeys.map { (changes[$0.index].key, slice(changes[$0.index].value)) }
  }

  private func slice(_ slot: Slot) -> EntitySlice? {
    guard case .put(let block, let entry) = slot else { return nil }
    return EntitySlice(blocks[block], entry..<entry + 1)
  }
}

/// The table of a key and the first sixteen bytes of its ID as numbers, which sort as the key does.
private struct SortKey {
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
