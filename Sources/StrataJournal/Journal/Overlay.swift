import StrataBase

/// The changes of a sequence of deltas: only the last change of every entity counts.
///
/// Large blocks of the deltas are kept as they are. Of small ones, the changes in the scope are copied and
/// packed together, because a block for each change would cost several times its payload.
package struct Overlay {
  private let scope: ReadScope
  /// The same as a set, if the scope has many entities.
  private let keys: Set<EntityKey>?
  private var blocks: [ChangeBlock] = []
  /// The changes of the last small blocks.
  private var pack = ChangePack()

  /// Holds the changes within a scope.
  package init(_ scope: ReadScope = .everything) {
    self.scope = scope
    if case .entities(let keys) = scope, keys.count > 8 {
      self.keys = Set(keys)
    } else {
      keys = nil
    }
  }

  var isEmpty: Bool { blocks.isEmpty && pack.isEmpty }

  /// Adds the changes of a later block.
  ///
  /// An entity that could not be persisted keeps its previous change. O(entries).
  mutating func add(_ block: ChangeBlock) {
    guard block.entries.count <= ChangePack.smallBlock else {
      // A block without a change in the scope is not held: most blocks of a journal are such.
      guard block.entries.contains(where: { counts($0, of: block) }) else { return }
      closePack()
      return blocks.append(block)
    }
    for entry in block.entries where counts(entry, of: block) { pack.add(entry, of: block) }
    if pack.isFull { closePack() }
  }

  private func counts(_ entry: ChangeBlock.Entry, of block: ChangeBlock) -> Bool {
    guard entry.change != .notPersisted else { return false }
    return keys?.contains(block.key(of: entry)) ?? scope.contains(entry, of: block)
  }

  /// Makes a block of the small ones: the last change of each entity, in the order of their keys.
  private mutating func closePack() {
    guard !pack.isEmpty else { return }
    let changes = sorted([pack.block])
    pack = ChangePack()
    for index in 0..<changes.count {
      let (block, entry) = changes.change(index)
      pack.add(block.entries[entry], of: block)
    }
    blocks.append(pack.block)
    pack = ChangePack()
  }

  /// One change, with the start of its key as numbers that sort as the key does.
  ///
  /// Most keys differ in them, so that sorting seldom looks at the bytes.
  private struct Change {
    /// The first sixteen bytes of the ID.
    let high: UInt64
    let low: UInt64
    /// The place of its table in the order of their names.
    let table: Int32
    let block: Int32
    let entry: Int32
    let length: Int32

    init(
      _ entry: ChangeBlock.Entry,
      _ bytes: UnsafeRawBufferPointer,
      _ table: Int32,
      block: Int,
      _ index: Int
    ) {
      let id = UnsafeRawBufferPointer(rebasing: bytes[entry.id])
      (high, low) = id.leadingWords
      self.table = table
      self.block = Int32(block)
      self.entry = Int32(index)
      length = Int32(truncatingIfNeeded: id.count)
    }
  }

  /// The changes of one block in the order of their keys.
  private struct Run {
    /// For each table of the block its place in the order of all names.
    let tables: [Int32]
    /// The entries in that order; nil if the block has that order and all its entries count.
    let entries: [Int32]?
    let count: Int
    private var next = 0

    init(tables: [Int32], entries: [Int32]?, count: Int) {
      (self.tables, self.entries, self.count) = (tables, entries, count)
    }

    mutating func nextChange(in block: ChangeBlock, number: Int) -> Change? {
      guard next < count else { return nil }
      let index = entries.map { Int($0[next]) } ?? next
      next += 1
      let entry = block.entries[index]
      return block.bytes.withUnsafeBytes { bytes in
        Change(entry, bytes, tables[entry.table], block: number, index)
      }
    }
  }

  /// The changes of each block that count, each block sorted on its own.
  private func runs(of blocks: [ChangeBlock]) -> [Run] {
    let names = Set(blocks.flatMap(\.tables)).inOrder {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    let ranks = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0)) })
    var runs: [Run] = []
    runs.reserveCapacity(blocks.count)
    var changes: [Change] = []
    for (number, block) in blocks.enumerated() {
      let tables = block.tables.map { ranks[$0] ?? 0 }
      changes.removeAll(keepingCapacity: true)
      block.bytes.withUnsafeBytes { bytes in
        for index in block.entries.indices {
          let entry = block.entries[index]
          guard counts(entry, of: block) else { continue }
          changes.append(Change(entry, bytes, tables[entry.table], block: number, index))
        }
      }
      let isInOrder =
        changes.count == block.entries.count
        && zip(changes, changes.dropFirst()).allSatisfy { precedes($0, $1, blocks) }
      if !isInOrder { changes.sort { precedes($0, $1, blocks) } }
      let entries = isInOrder ? nil : changes.map(\.entry)
      runs.append(Run(tables: tables, entries: entries, count: changes.count))
    }
    return runs
  }

  /// The last change of every entity, sorted as in a snapshot.
  ///
  /// O(n log n). Each block is sorted on its own, and the blocks are merged: sorting all changes at once
  /// would take several times the memory.
  func sorted() -> SortedChanges { sorted(pack.isEmpty ? blocks : blocks + [pack.block]) }

  private func sorted(_ blocks: [ChangeBlock]) -> SortedChanges {
    var runs = runs(of: blocks)
    var last: [SortedChanges.Place] = []
    last.reserveCapacity(runs.reduce(0) { $0 + $1.count })
    var previous: Change?
    var heads = MergeHeap(
      runs.indices.compactMap { runs[$0].nextChange(in: blocks[$0], number: $0) }
    ) { precedes($0, $1, blocks) }
    while let change = heads.first {
      let place = SortedChanges.Place(block: change.block, entry: change.entry)
      if let previous, previous.table == change.table, compare(previous, change, blocks) == .same {
        last[last.count - 1] = place
      } else {
        last.append(place)
      }
      previous = change
      let number = Int(change.block)
      heads.replaceFirst(by: runs[number].nextChange(in: blocks[number], number: number))
    }
    return SortedChanges(blocks: blocks, places: last)
  }

  /// Whether a change comes before another one: of one entity in the order of the deltas.
  @inline(__always)
  private func precedes(_ a: Change, _ b: Change, _ blocks: [ChangeBlock]) -> Bool {
    if a.table != b.table { return a.table < b.table }
    switch compare(a, b, blocks) {
    case .before: return true
    case .after: return false
    case .same: return (a.block, a.entry) < (b.block, b.entry)
    }
  }

  private enum Order {
    case before, same, after
  }

  /// The order of two keys of one table.
  @inline(__always)
  private func compare(_ a: Change, _ b: Change, _ blocks: [ChangeBlock]) -> Order {
    if a.high != b.high { return a.high < b.high ? .before : .after }
    if a.low != b.low { return a.low < b.low ? .before : .after }
    if a.length == b.length, a.length <= 16 { return .same }
    return id(of: a, blocks).withUnsafeBytes { first in
      id(of: b, blocks).withUnsafeBytes { second in
        if EntityKey.precedes(first, second) { return .before }
        return first.count == second.count && !EntityKey.precedes(second, first) ? .same : .after
      }
    }
  }

  private func id(of change: Change, _ blocks: [ChangeBlock]) -> ArraySlice<UInt8> {
    let block = blocks[Int(change.block)]
    return block.id(of: block.entries[Int(change.entry)])
  }
}

/// The changes of small blocks, copied into one.
private struct ChangePack {
  private var bytes: [UInt8] = []
  private var tables: [String] = []
  private var entries: [ChangeBlock.Entry] = []

  /// A block of more changes is held as it is.
  static let smallBlock = 16
  private static let room = 64 << 10

  var isEmpty: Bool { entries.isEmpty }
  var isFull: Bool { bytes.count >= Self.room }

  /// Copies a change.
  mutating func add(_ entry: ChangeBlock.Entry, of block: ChangeBlock) {
    if isEmpty { bytes.reserveCapacity(Self.room + Self.room / 8) }
    let name = block.table(of: entry)
    var table = tables.count - 1
    if tables.last != name {
      table = tables.firstIndex(of: name) ?? tables.count
      if table == tables.count { tables.append(name) }
    }
    let start = bytes.count
    bytes.append(contentsOf: block.id(of: entry))
    let id = start..<bytes.count
    var change = entry.change
    if case .put(let layout, let record) = change {
      bytes.append(contentsOf: block.bytes[record])
      change = .put(layout: layout, record: id.upperBound..<bytes.count)
    }
    entries.append(ChangeBlock.Entry(table: table, id: id, change: change))
  }

  /// The changes as a block, whose arrays have no spare capacity.
  var block: ChangeBlock {
    let bytes = bytes.withUnsafeBufferPointer { Array($0) }
    let entries = entries.withUnsafeBufferPointer { Array($0) }
    return ChangeBlock(bytes: bytes, tables: tables, entries: entries)
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

  /// The tables that were changed.
  var tables: Set<String> { Set(blocks.flatMap(\.tables)) }

  func key(_ index: Int) -> EntityKey {
    let (block, entry) = change(index)
    return block.key(of: block.entries[entry])
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

  /// Whether an entity was changed; O(log changes).
  func contains(_ key: EntityKey) -> Bool {
    let index = firstIndex(from: key)
    return index < count && self.key(index) == key
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
