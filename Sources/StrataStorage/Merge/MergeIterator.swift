/// A snapshot and the deltas after it as one sorted run of entities: the database at a revision, as
/// stored bytes.
///
/// Nothing is decoded, so what this build does not know (tables, fields, records it cannot read)
/// passes through untouched. Restoring, snapshotting, showing and verifying all read a fold.
package struct MergeIterator {
  private var base: ChunkCursor
  private var block: ChangeBlock?
  private var nextEntry = 0
  private var overlay: [(key: EntityKey, put: EntityRun?)]
  private var nextOverlay = 0
  private var current: EntityRun?

  init(_ base: ChunkCursor, _ overlay: Overlay) {
    self.base = base
    self.overlay = overlay.sorted()
  }

  /// The next entity, in the order of tables and encoded IDs; nil at the end.
  mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      current = try nextRun()
      if current == nil { return nil }
    }
  }

  /// The next entities that lie together, in the order of tables and encoded IDs; nil at the end.
  package mutating func nextRun() throws -> EntityRun? {
    while true {
      if block.map({ nextEntry == $0.entries.count }) ?? true {
        block = try base.nextBlock()
        nextEntry = 0
      }
      let touched = nextOverlay < overlay.count ? overlay[nextOverlay] : nil
      if let block {
        let start = nextEntry
        nextEntry = block.endOfRun(from: start, before: touched?.key)
        if nextEntry > start { return EntityRun(block, start..<nextEntry) }
        if let touched, block.key(of: block.entries[start]) == touched.key { nextEntry += 1 }
      }
      guard let touched else { return nil }
      nextOverlay += 1
      if let put = touched.put { return put }
    }
  }
}

extension MergeIterator {
  /// About how many entities there are: what was added since the snapshot is counted, and what was
  /// removed is not taken off.
  package var expectedCount: Int { base.count + overlay.count }

  /// Checks whatever of the snapshot is left, and that all its entities are there.
  mutating func verifyRest() throws { try base.verifyAll() }
}

/// Entities of one table that lie one after another in a block.
package struct EntityRun {
  package let block: ChangeBlock
  package private(set) var entries: Range<Int>

  init(_ block: ChangeBlock, _ entries: Range<Int>) {
    self.block = block
    self.entries = entries
  }

  /// The entity at a place of the block.
  func entity(_ index: Int) -> StoredEntity? {
    let entry = block.entries[index]
    guard case .put(let layout, let record) = entry.change else { return nil }
    return StoredEntity(
      table: block.table(of: entry),
      id: block.id(of: entry),
      layout: layout,
      record: block.bytes[record]
    )
  }

  mutating func popFirst() -> StoredEntity? {
    while !entries.isEmpty {
      let first = entries.lowerBound
      entries.removeFirst()
      if let entity = entity(first) { return entity }
    }
    return nil
  }
}

extension ChangeBlock {
  func key(of entry: Entry) -> EntityKey {
    EntityKey(table: table(of: entry), id: id(of: entry))
  }

  /// The entry after those from `start` on that are of its table and come before `key`.
  func endOfRun(from start: Int, before key: EntityKey?) -> Int {
    let table = entries[start].table
    var end = start
    guard let key, tables[table] == key.table else {
      if let key, key.table.utf8.lexicographicallyPrecedes(tables[table].utf8) { return start }
      while end < entries.count, entries[end].table == table { end += 1 }
      return end
    }
    bytes.withUnsafeBytes { bytes in
      key.id.withUnsafeBytes { id in
        while end < entries.count, entries[end].table == table,
          EntityKey.precedes(UnsafeRawBufferPointer(rebasing: bytes[entries[end].id]), id)
        { end += 1 }
      }
    }
    return end
  }
}
