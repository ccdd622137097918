import StrataBase

/// Reads the entities of a snapshot chunk by chunk, and verifies the hash of each chunk.
package struct ChunkCursor {
  private let snapshots: SnapshotStore
  private let catalog: LayoutCatalog
  private let header: SnapshotHeader
  private var nextChunk = 0
  private var entities = 0
  private var current: EntitySlice?

  /// - Throws: `CorruptionError` if the hashes of the chunks are not the ones that the snapshot's hash
  ///   covers.
  init(
    _ snapshot: StoredSnapshot,
    of identity: StoreIdentity,
    in snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) throws {
    let header = snapshot.header
    let hashes = try snapshots.chunkHashes(of: header.revision)
    guard hashes.count == header.chunks else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(hashes.count) chunks, its row says \(header.chunks)"
      )
    }
    let computed = header.hash(storeID: identity.id, chunks: hashes)
    guard computed == snapshot.hash else {
      throw CorruptionError.hashMismatch(
        in: "snapshot \(header.revision)",
        stored: snapshot.hash,
        computed: computed
      )
    }
    self.snapshots = snapshots
    self.catalog = catalog
    self.header = header
  }

  /// The number of entities in the snapshot.
  var count: Int { header.entities }

  package mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      guard let block = try nextBlock() else { return nil }
      current = EntitySlice(block, block.entries.indices)
    }
  }

  /// The next chunk that is not empty, which has only puts; nil at the end.
  mutating func nextBlock() throws -> ChangeBlock? {
    while nextChunk < header.chunks {
      let block = try read(nextChunk)
      nextChunk += 1
      guard block.holdsOnlyPuts else {
        throw CorruptionError(
          "chunk \(nextChunk - 1) of snapshot \(header.revision) has more than puts"
        )
      }
      entities += block.entries.count
      if !block.entries.isEmpty { return block }
    }
    return nil
  }

  /// Verifies the remaining chunks, and that the snapshot has all its entities.
  mutating func verifyAll() throws {
    while try nextBlock() != nil {}
    guard entities == header.entities else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(entities) entities, its row says \(header.entities)"
      )
    }
  }

  private func read(_ chunk: Int) throws -> ChangeBlock {
    let place = "chunk \(chunk) of snapshot \(header.revision)"
    guard let (body, hash) = try snapshots.chunk(chunk, of: header.revision) else {
      throw CorruptionError("\(place) is missing")
    }
    let block = try ChangeBlock(body, of: place)
    let layouts = try catalog.hashes(of: block.layouts)
    let computed = SnapshotHeader.hash(ofChunk: body, layouts: layouts)
    guard computed == hash else {
      throw CorruptionError.hashMismatch(in: place, stored: hash, computed: computed)
    }
    return block
  }
}
