import StrataBase

/// Goes through the entities of a snapshot, a chunk at a time, each checked against its hash.
package struct ChunkCursor {
  private let snapshots: SnapshotStore
  private let catalog: LayoutCatalog
  private let header: SnapshotHeader
  private var nextChunk = 0
  private var entities = 0
  private var current: EntityRun?

  /// - Throws: `CorruptionError` when the chunks are not those the snapshot's hash covers.
  init(
    _ snapshot: StoredSnapshot,
    of identity: StoreIdentity,
    in snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) throws {
    let hashes = try snapshots.chunkHashes(of: snapshot.header.revision)
    guard hashes.count == snapshot.header.chunks,
      snapshot.header.hash(storeID: identity.id, chunks: hashes) == snapshot.hash
    else {
      throw CorruptionError("the snapshot at revision \(snapshot.header.revision) has another hash")
    }
    self.snapshots = snapshots
    self.catalog = catalog
    header = snapshot.header
  }

  /// How many entities the snapshot has.
  var count: Int { header.entities }

  package mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      guard let block = try nextBlock() else { return nil }
      current = EntityRun(block, block.entries.indices)
    }
  }

  /// The next chunk that has entities, nothing but entities; nil at the end.
  mutating func nextBlock() throws -> ChangeBlock? {
    while nextChunk < header.chunks {
      let block = try read(nextChunk)
      nextChunk += 1
      guard block.holdsOnlyPuts else {
        throw CorruptionError("the snapshot at revision \(header.revision) holds a removal")
      }
      entities += block.entries.count
      if !block.entries.isEmpty { return block }
    }
    return nil
  }

  /// Checks every chunk that is left against its hash, and that all entities are there.
  mutating func verifyAll() throws {
    while try nextBlock() != nil {}
    guard entities == header.entities else {
      throw CorruptionError("the snapshot at revision \(header.revision) lacks entities")
    }
  }

  private func read(_ chunk: Int) throws -> ChangeBlock {
    let place = "chunk \(chunk) of the snapshot at revision \(header.revision)"
    guard let (body, hash) = try snapshots.chunk(chunk, of: header.revision) else {
      throw CorruptionError("\(place) is missing")
    }
    let block = try ChangeBlock(body, of: place)
    let layouts = try catalog.hashes(of: block.layouts)
    guard SnapshotHeader.hash(ofChunk: body, layouts: layouts) == hash else {
      throw CorruptionError("\(place) has another hash")
    }
    return block
  }
}
