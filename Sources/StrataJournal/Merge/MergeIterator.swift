/// Merges a snapshot with the deltas after it into one sorted sequence of entities: the database at a
/// revision, as stored bytes.
///
/// Nothing is decoded, so what this build does not know (tables, fields, records it cannot read) passes
/// through unchanged. Restoring, snapshotting, showing and verifying all read a merge.
package struct MergeIterator {
  private(set) var base: ChunkCursor
  private var block: ChangeBlock?
  private var nextEntry = 0
  /// The changes after the snapshot, sorted.
  let overlay: SortedChanges
  private var nextOverlay = 0
  private var current: EntitySlice?

  package init(_ base: ChunkCursor, _ overlay: Overlay) {
    self.init(base, overlay.sorted())
  }

  private init(_ base: ChunkCursor, _ changes: SortedChanges) {
    self.base = base
    overlay = changes
  }

  /// The merge from its start, with the snapshot restricted to a scope; it has all changes.
  ///
  /// O(chunks).
  func restricted(to scope: ReadScope) -> MergeIterator {
    MergeIterator(base.restricted(to: scope), overlay)
  }

  /// The next entity, in the order of tables and encoded IDs; nil at the end.
  package mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      current = try nextSlice()
      if current == nil { return nil }
    }
  }

  /// The next entities that are adjacent in one block, in the order of tables and encoded IDs; nil at the
  /// end.
  package mutating func nextSlice() throws -> EntitySlice? {
    while true {
      if block.map({ nextEntry == $0.entries.count }) ?? true {
        block = try base.nextBlock()
        nextEntry = 0
      }
      let change = nextOverlay < overlay.count ? overlay.key(nextOverlay) : nil
      if let block {
        let start = nextEntry
        nextEntry = block.endOfSlice(from: start, before: change)
        if nextEntry > start { return EntitySlice(block, start..<nextEntry) }
        if let change, block.key(of: block.entries[start]) == change { nextEntry += 1 }
      }
      if change == nil { return nil }
      nextOverlay += 1
      if let put = overlay.put(nextOverlay - 1) { return put }
    }
  }
}

extension MergeIterator {
  /// How many changes one part has.
  private static let changesOfPart = 2_048

  /// The next part that another thread can read; nil at the end.
  ///
  /// Of one merge, either parts or slices are read.
  package mutating func nextPart() throws -> MergePart? {
    if let chunk = try base.nextStoredChunk() {
      return MergePart(chunk, without: overlay, base.catalog)
    }
    guard nextOverlay < overlay.count else { return nil }
    let end = min(nextOverlay + Self.changesOfPart, overlay.count)
    defer { nextOverlay = end }
    return MergePart(nextOverlay..<end, of: overlay, base.catalog)
  }

  /// An estimate of the number of entities: every entity that changed after the snapshot is counted as an
  /// added one.
  package var expectedCount: Int { base.count + overlay.count }

  /// The tables that have entities in the snapshot or changes after it; O(chunks and deltas).
  var tables: Set<String> { Set(base.listing.map(\.table)).union(overlay.tables) }

  /// Verifies the rest of the snapshot.
  mutating func verifyRest() throws { try base.verifyAll() }
}

extension ChangeBlock {
  package func key(of entry: Entry) -> EntityKey {
    EntityKey(table: table(of: entry), id: id(of: entry))
  }

  /// The end of the entries from `start` on that are of the same table and come before `key`.
  func endOfSlice(from start: Int, before key: EntityKey?) -> Int {
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

/// The number of entities of a table, and the size of their records.
package struct TableSize {
  package var count = 0
  package var bytes = 0

  package init(count: Int = 0, bytes: Int = 0) {
    self.count = count
    self.bytes = bytes
  }
}

extension MergeIterator {
  /// The number of entities of each table that has any; as costly as the sizes.
  package func counts() throws -> [String: Int] { try sizes().mapValues(\.count) }

  /// The sizes of the tables that have entities.
  ///
  /// O(chunks and changes after the snapshot); only chunks with changes in their range are read.
  package func sizes() throws -> [String: TableSize] {
    var sizes: [String: TableSize] = [:]
    var merge = ChunkMerge(base, try ChangeCursor([.held(overlay)]))
    while let part = merge.nextPart() {
      var size = sizes[part.table, default: TableSize()]
      if let chunk = part.chunk, !part.hasChanges {
        size.count += chunk.count
        size.bytes += chunk.bytes
      } else {
        while let entity = try merge.next() {
          size.count += 1
          size.bytes += entity.record.count
        }
      }
      sizes[part.table] = size
    }
    return sizes
  }
}
