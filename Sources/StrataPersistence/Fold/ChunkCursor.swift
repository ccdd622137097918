import StrataBase

/// Goes through the entities of a snapshot, a chunk at a time, each checked against its hash.
struct ChunkCursor {
  private let snapshots: SnapshotStore
  private let catalog: LayoutCatalog
  private let header: SnapshotHeader
  private var nextChunk = 0
  private var entities = 0
  private var current: EntityRun?

  /// - Throws: `DamageFound` when the chunks are not those the snapshot's hash covers.
  init(
    _ snapshot: (header: SnapshotHeader, hash: Checksum),
    of identity: StoreIdentity,
    in snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) throws {
    let hashes = try snapshots.chunkHashes(of: snapshot.header.revision)
    guard hashes.count == snapshot.header.chunks,
      snapshot.header.hash(storeID: identity.id, chunks: hashes) == snapshot.hash
    else {
      throw DamageFound("the snapshot at revision \(snapshot.header.revision) has another hash")
    }
    self.snapshots = snapshots
    self.catalog = catalog
    header = snapshot.header
  }

  /// How many entities the snapshot has.
  var count: Int { header.entities }

  mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = current?.popFirst() { return entity }
      guard let part = try nextPart() else { return nil }
      current = EntityRun(part, part.entries.indices)
    }
  }

  /// The next chunk that has entities, nothing but entities; nil at the end.
  mutating func nextPart() throws -> Part? {
    while nextChunk < header.chunks {
      let part = try read(nextChunk)
      nextChunk += 1
      guard part.holdsOnlyPuts else {
        throw DamageFound("the snapshot at revision \(header.revision) holds a removal")
      }
      entities += part.entries.count
      if !part.entries.isEmpty { return part }
    }
    return nil
  }

  /// Checks every chunk that is left against its hash, and that all entities are there.
  mutating func proveAll() throws {
    while try nextPart() != nil {}
    guard entities == header.entities else {
      throw DamageFound("the snapshot at revision \(header.revision) lacks entities")
    }
  }

  private func read(_ chunk: Int) throws -> Part {
    let place = "chunk \(chunk) of the snapshot at revision \(header.revision)"
    guard let (body, hash) = try snapshots.chunk(chunk, of: header.revision) else {
      throw DamageFound("\(place) is missing")
    }
    let part = try Part(body, of: place)
    let layouts = try catalog.hashes(of: part.layouts)
    guard SnapshotHeader.hash(ofChunk: body, layouts: layouts) == hash else {
      throw DamageFound("\(place) has another hash")
    }
    return part
  }
}
