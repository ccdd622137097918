import StrataBase

/// Reads the entities of a snapshot chunk by chunk, and verifies the hash of each chunk.
package struct ChunkCursor {
  private let snapshots: SnapshotStore
  let catalog: LayoutCatalog
  private let revision: Revision
  /// The chunks that are read, in order.
  package let listing: [ListedChunk]
  private var nextChunk = 0
  private var current: EntitySlice?

  /// A cursor over a snapshot, or over its chunks that can have what a scope asks for.
  ///
  /// O(chunks); no chunk is read.
  ///
  /// - Throws: `CorruptionError` if the list of the chunks is not the one that the snapshot's hash covers.
  package init(
    _ snapshot: StoredSnapshot,
    of identity: StoreIdentity,
    in snapshots: SnapshotStore,
    _ catalog: LayoutCatalog,
    _ scope: ReadScope = .everything
  ) throws {
    self.init(
      over: scope.chunks(in: try snapshots.listing(of: snapshot, identity, catalog)),
      of: snapshot.header.revision,
      in: snapshots,
      catalog
    )
  }

  /// A cursor over some chunks of a snapshot.
  package init(
    over listing: [ListedChunk],
    of revision: Revision,
    in snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) {
    self.listing = listing
    self.revision = revision
    self.snapshots = snapshots
    self.catalog = catalog
  }

  /// The number of entities in the chunks.
  var count: Int { listing.reduce(0) { $0 + $1.count } }

  package mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      guard let block = try nextBlock() else { return nil }
      current = EntitySlice(block, block.entries.indices)
    }
  }

  /// The next chunk: puts of one table, at least one; nil at the end.
  package mutating func nextBlock() throws -> ChangeBlock? {
    try nextStoredChunk()?.block(catalog)
  }

  /// The next chunk, which is not verified yet; nil at the end.
  mutating func nextStoredChunk() throws -> StoredChunk? {
    guard nextChunk < listing.count else { return nil }
    defer { nextChunk += 1 }
    return try snapshots.stored(listing[nextChunk], in: revision)
  }

  /// Verifies the remaining chunks.
  package mutating func verifyAll() throws {
    while try nextBlock() != nil {}
  }

  /// A cursor over the chunks that can have what a scope asks for.
  func restricted(to scope: ReadScope) -> ChunkCursor {
    ChunkCursor(over: scope.chunks(in: listing), of: revision, in: snapshots, catalog)
  }

  /// A cursor over one of the chunks, or over none.
  func part(_ chunk: ListedChunk?) -> ChunkCursor {
    ChunkCursor(over: chunk.map { [$0] } ?? [], of: revision, in: snapshots, catalog)
  }
}
