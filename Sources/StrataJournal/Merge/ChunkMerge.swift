/// Merges a snapshot with later changes chunk by chunk, so that a chunk without changes need not be read.
///
/// Chunks partition the keys of a table; the first and the last are unbounded below and above. A table that
/// the snapshot does not have is one range.
package struct ChunkMerge: ~Copyable {
  /// A range of keys.
  package struct Part {
    package let table: String
    /// Nil for a table that the snapshot does not have.
    package let chunk: ListedChunk?
    package fileprivate(set) var hasChanges = false

    /// Whether a key that is not before the range is in it.
    fileprivate func reaches(_ key: EntityKey) -> Bool {
      guard key.table == table else { return false }
      return chunk?.next.map { key < EntityKey(table: table, id: $0[...]) } ?? true
    }
  }

  private let base: ChunkCursor
  private var changes: ChangeCursor
  private var nextChunk = 0
  private var part: Part?
  /// The rest of the part's chunk.
  private var entities: ChunkCursor
  private var entity: StoredEntity?

  /// - Parameter base: a cursor over the whole snapshot, at its start.
  package init(_ base: ChunkCursor, _ changes: ChangeCursor) {
    self.base = base
    self.changes = changes
    entities = base.part(nil)
  }

  /// The next part, in the order of keys; nil at the end.
  ///
  /// One with changes must be read to its end before the next one.
  package mutating func nextPart() -> Part? {
    let chunk = nextChunk < base.listing.count ? base.listing[nextChunk] : nil
    if let change = changes.key,
      chunk.map({ change.table.utf8.lexicographicallyPrecedes($0.table.utf8) }) ?? true
    {
      part = Part(table: change.table, chunk: nil, hasChanges: true)
    } else if let chunk {
      nextChunk += 1
      var found = Part(table: chunk.table, chunk: chunk)
      found.hasChanges = changes.key.map(found.reaches) ?? false
      part = found
    } else {
      part = nil
    }
    entities = base.part(part?.chunk)
    entity = nil
    return part
  }

  /// The next entity of the part; nil at its end.
  package mutating func next() throws -> StoredEntity? {
    guard let part else { return nil }
    while true {
      if entity == nil { entity = try entities.next() }
      let change = changes.key.flatMap { part.reaches($0) ? $0 : nil }
      if let found = entity, change.map({ found.key < $0 }) ?? true {
        entity = nil
        return found
      }
      guard let change else { return nil }
      if entity?.key == change { entity = nil }
      if let put = try changes.next() { return put }
    }
  }
}
