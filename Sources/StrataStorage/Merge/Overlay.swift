/// The changes of a sequence of deltas, of which the last one of every entity counts.
///
/// It holds the blocks of the deltas, so its memory is about their size.
struct Overlay {
  private var blocks: [ChangeBlock] = []
  private var changes: [Change] = []
  private var tables: [String] = []
  private var numberOfTable: [String: Int] = [:]

  var isEmpty: Bool { changes.isEmpty }

  /// One change, with the start of its key as numbers that sort as the key does.
  ///
  /// Most keys differ in them, so that sorting seldom looks at the bytes.
  fileprivate struct Change {
    /// The first sixteen bytes of the ID.
    let high: UInt64
    let low: UInt64
    let table: Int32
    let block: Int32
    let entry: Int32
    let length: Int32
  }

  /// Adds the changes of a later block.
  ///
  /// An entity that could not be persisted keeps its previous change. O(entries).
  mutating func add(_ block: ChangeBlock, in scope: ReadScope = .everything) {
    let number = Int32(blocks.count)
    let before = changes.count
    let tables = block.tables.map { Int32(self.number(ofTable: $0)) }
    block.bytes.withUnsafeBytes { bytes in
      for (index, entry) in block.entries.enumerated()
      where entry.change != .notPersisted && scope.contains(entry, of: block) {
        let id = UnsafeRawBufferPointer(rebasing: bytes[entry.id])
        let words = id.leadingWords
        changes.append(
          Change(
            high: words.high,
            low: words.low,
            table: tables[entry.table],
            block: number,
            entry: Int32(index),
            length: Int32(truncatingIfNeeded: id.count)
          )
        )
      }
    }
    // A block of others is not held: a journal has many more of them than of what is read.
    if changes.count > before { blocks.append(block) }
  }

  private mutating func number(ofTable name: String) -> Int {
    if let number = numberOfTable[name] { return number }
    numberOfTable[name] = tables.count
    tables.append(name)
    return tables.count - 1
  }

  /// The last change of every entity, sorted as in a snapshot.
  ///
  /// O(n log n).
  func sorted() -> SortedChanges {
    let order = tables.indices.sorted {
      tables[$0].utf8.lexicographicallyPrecedes(tables[$1].utf8)
    }
    var rank = [Int](repeating: 0, count: tables.count)
    for (place, table) in order.enumerated() { rank[table] = place }
    let sorted = changes.sorted { a, b in
      if a.table != b.table { return rank[Int(a.table)] < rank[Int(b.table)] }
      switch compare(a, b) {
      case .before: return true
      case .after: return false
      case .same: return (a.block, a.entry) < (b.block, b.entry)
      }
    }
    var last: [SortedChanges.Place] = []
    last.reserveCapacity(sorted.count)
    for (index, change) in sorted.enumerated() {
      if index + 1 < sorted.count, sorted[index + 1].table == change.table,
        compare(change, sorted[index + 1]) == .same
      {
        continue
      }
      last.append(.init(block: change.block, entry: change.entry))
    }
    return SortedChanges(blocks: blocks, places: last)
  }

  private enum Order {
    case before, same, after
  }

  /// The order of two keys of one table.
  @inline(__always)
  private func compare(_ a: Change, _ b: Change) -> Order {
    if a.high != b.high { return a.high < b.high ? .before : .after }
    if a.low != b.low { return a.low < b.low ? .before : .after }
    if a.length == b.length, a.length <= 16 { return .same }
    return id(of: a).withUnsafeBytes { first in
      id(of: b).withUnsafeBytes { second in
        if EntityKey.precedes(first, second) { return .before }
        return first.count == second.count && !EntityKey.precedes(second, first) ? .same : .after
      }
    }
  }

  private func id(of change: Change) -> ArraySlice<UInt8> {
    let block = blocks[Int(change.block)]
    return block.id(of: block.entries[Int(change.entry)])
  }
}

/// Changes of entities, each entity once, in the order of tables and encoded IDs.
package struct SortedChanges: Sendable {
  fileprivate struct Place {
    let block: Int32
    let entry: Int32
  }

  private let blocks: [ChangeBlock]
  private let places: [Place]

  fileprivate init(blocks: [ChangeBlock], places: [Place]) {
    self.blocks = blocks
    self.places = places
  }

  var count: Int { places.count }

  func key(_ index: Int) -> EntityKey {
    let (block, entry) = change(index)
    return block.key(of: block.entries[entry])
  }

  /// Some of the changes.
  func part(_ range: Range<Int>) -> SortedChanges {
    SortedChanges(blocks: blocks, places: Array(places[range]))
  }

  /// The block of a change, and its number there.
  @inline(__always)
  func change(_ index: Int) -> (block: ChangeBlock, entry: Int) {
    let place = places[index]
    return (blocks[Int(place.block)], Int(place.entry))
  }

  /// The put entity; nil for a removed one.
  func put(_ index: Int) -> EntitySlice? {
    let (block, entry) = change(index)
    guard case .put = block.entries[entry].change else { return nil }
    return EntitySlice(block, entry..<entry + 1)
  }

  /// The first change whose key is not before this one.
  func firstIndex(from key: EntityKey) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if self.key(middle) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension UnsafeRawBufferPointer {
  /// The first sixteen bytes as numbers that sort as they do, filled up with zeros.
  @inline(__always)
  fileprivate var leadingWords: (high: UInt64, low: UInt64) {
    if count >= 16 {
      return (
        UInt64(bigEndian: loadUnaligned(as: UInt64.self)),
        UInt64(bigEndian: loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      )
    }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: self) }
    return (UInt64(bigEndian: words.high), UInt64(bigEndian: words.low))
  }
}
