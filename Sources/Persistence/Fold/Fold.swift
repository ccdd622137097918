import StrataMigrations

/// A snapshot and the deltas after it as one sorted run of entities: the database at a revision, as
/// stored bytes.
///
/// Nothing is decoded, so what this build does not know (tables, fields, records it cannot read)
/// passes through untouched. Restoring, snapshotting, showing and verifying all read a fold.
struct Fold {
  private var base: ChunkCursor
  private var overlay: [(key: EntityKey, entity: StoredEntity?)]
  private var nextOverlay = 0
  private var pendingBase: StoredEntity?

  init(_ base: ChunkCursor, _ overlay: Overlay) {
    self.base = base
    self.overlay = overlay.sorted()
  }

  /// The next entity, in the order of tables and encoded IDs; nil at the end.
  mutating func next() throws -> StoredEntity? {
    while true {
      if pendingBase == nil { pendingBase = try base.next() }
      guard nextOverlay < overlay.count else {
        defer { pendingBase = nil }
        return pendingBase
      }
      let (key, entity) = overlay[nextOverlay]
      if let stored = pendingBase, stored.key < key {
        pendingBase = nil
        return stored
      }
      if pendingBase?.key == key { pendingBase = nil }
      nextOverlay += 1
      if let entity { return entity }
    }
  }
}

/// Goes through the entities of a snapshot, a chunk at a time, each checked against its hash.
struct ChunkCursor {
  private let snapshots: SnapshotStore
  private let catalog: LayoutCatalog
  private let header: SnapshotHeader
  private var nextChunk = 0
  private var part: Part?
  private var nextEntry = 0

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

  mutating func next() throws -> StoredEntity? {
    while true {
      if let part, nextEntry < part.entries.count {
        let entry = part.entries[nextEntry]
        nextEntry += 1
        guard case .put(let layout, let record) = entry.change else {
          throw DamageFound("the snapshot at revision \(header.revision) holds a removal")
        }
        return StoredEntity(
          table: part.table(of: entry),
          id: part.id(of: entry),
          layout: layout,
          record: part.bytes[record]
        )
      }
      guard nextChunk < header.chunks else { return nil }
      part = try read(nextChunk)
      nextChunk += 1
      nextEntry = 0
    }
  }

  /// Checks every chunk against its hash, and that all entities are there.
  mutating func proveAll() throws {
    var entities = 0
    while try next() != nil { entities += 1 }
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
