import StrataBase
package import StrataMigrations
package import StrataSQLite

/// Format 1, in which each snapshot has chunks of its own, with entities of several tables.
///
/// Every run of one table in such a chunk is listed as a chunk.
extension SnapshotStore {
  /// The chunks of a snapshot.
  ///
  /// O(snapshot): only the chunks themselves show what they contain.
  func listingOfFormat1(
    of snapshot: StoredSnapshot,
    _ identity: StoreIdentity,
    _ catalog: LayoutCatalog
  ) throws -> [ListedChunk] {
    let header = snapshot.header
    let rows = try connection.all(
      "SELECT rowid, hash FROM snapshot_chunk WHERE revision = ? ORDER BY chunk",
      [.integer(header.revision.number)]
    ) { (id: try $0.int(0), hash: try Self.checksum(try $0.blob(1))) }
    guard rows.count == header.chunks else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(rows.count) chunks, its row says \(header.chunks)"
      )
    }
    let hash = header.hashOfFormat1(storeID: identity.id, chunks: rows.map(\.hash))
    try Self.check(hash, of: snapshot)
    var listing: [ListedChunk] = []
    for (id, hash) in rows {
      let place = "chunk \(id) of snapshot \(header.revision)"
      guard let body = try bodyOfFormat1(id) else { throw CorruptionError("\(place) is missing") }
      let block = try ChangeBlock(body, of: place)
      guard Set(block.tables).count == block.tables.count else {
        throw CorruptionError("\(place) has a table twice")
      }
      for table in block.tables {
        let part = try ChangeBlock(block.body(ofTable: table), of: place)
        guard let first = part.entries.first else { continue }
        listing.append(
          ListedChunk(
            id: id,
            table: table,
            first: Array(part.id(of: first)),
            count: part.entries.count,
            bytes: part.recordBytes,
            size: part.bytes.count,
            hash: hash
          )
        )
      }
    }
    let entities = listing.reduce(0) { $0 + $1.count }
    guard entities == header.entities else {
      throw CorruptionError(
        "snapshot \(header.revision) has \(entities) entities, its row says \(header.entities)"
      )
    }
    return try listing.linked(header.revision)
  }

  func bodyOfFormat1(_ id: Int64) throws -> [UInt8]? {
    try connection.first("SELECT body FROM snapshot_chunk WHERE rowid = ?", [.integer(id)]) {
      try $0.blob(0)
    }
  }

  /// Writes the snapshots of format 1 as this format has them, in the transaction of the migration.
  ///
  /// A snapshot that is damaged keeps its row and gets no chunks: it stays damaged. One that was never
  /// finished is removed.
  ///
  /// O(snapshots).
  static func convertFromFormat1(in connection: Connection) throws {
    let old = SnapshotStore(connection: connection, isOfFormat1: true)
    let new = SnapshotStore(connection: connection, isOfFormat1: false)
    let snapshots = try old.all()
    // A file that is being created has nothing yet, not even an identity.
    if snapshots.isEmpty { return }
    try OlderFormat.present(on: connection)
    let identity = try StoreIdentity.read(connection)
    try OlderFormat.removeViews(from: connection)
    let catalog = try LayoutCatalog(reading: connection)
    for snapshot in snapshots {
      guard snapshot.header.state == .verified else {
        try new.remove(snapshot.header.revision)
        continue
      }
      try CorruptionError.nilIfCorrupt { try old.convert(snapshot, identity, catalog, to: new) }
    }
  }

  /// Writes a snapshot as this format has it, into the same file or another one.
  ///
  /// - Parameter damaged: chunks to leave out.
  package func convert(
    _ snapshot: StoredSnapshot,
    _ identity: StoreIdentity,
    _ catalog: LayoutCatalog,
    without damaged: [ListedChunk] = [],
    to new: SnapshotStore
  ) throws {
    var header = snapshot.header
    let intact = try listing(of: snapshot, identity, catalog).filter { !damaged.contains($0) }
    let listing = try intact.map { chunk in
      let block = try block(of: chunk, in: header.revision, catalog)
      let layouts = try catalog.hashes(of: block.layouts)
      let hash = SnapshotHeader.hash(ofChunk: block.bytes, layouts: layouts)
      return ListedChunk(
        id: try new.chunk(with: block.bytes, hash: hash),
        table: chunk.table,
        first: chunk.first,
        count: chunk.count,
        bytes: chunk.bytes,
        size: block.bytes.count,
        hash: hash
      )
    }
    header.chunks = listing.count
    header.entities = listing.reduce(0) { $0 + $1.count }
    header.bytes = listing.reduce(0) { $0 + $1.size }
    try new.write(listing, of: header.revision)
    try new.write(header, hash: header.hash(storeID: identity.id, listing: listing))
  }
}

extension ChangeBlock {
  /// The bytes of a block with the entries of one table.
  func body(ofTable table: String) -> [UInt8] {
    if tables == [table] { return bytes }
    var builder = ChangeBlockBuilder()
    for entry in entries where self.table(of: entry) == table {
      guard case .put(let layout, let record) = entry.change else { continue }
      builder.put(id(of: entry), in: table, layout: layout, record: bytes[record])
    }
    return builder.finish()
  }
}

extension StoreFormat {
  /// Upgrades a file to the newest format, in one transaction; does nothing if it has that format.
  ///
  /// O(snapshots) for a file of format 1, whose chunks are written again; else O(rows that are no deltas, and the
  /// deltas above 1 MB).
  package static func migrate(_ connection: Connection, now: Int64) throws(MigrationError) {
    do {
      try OlderFormat.removeViews(from: connection)
    } catch {
      throw .database(error)
    }
    try Migrator(catalog: .file, now: { now }) { version, connection throws(SQLiteError) in
      guard version == 2 else { return }
      do {
        try SnapshotStore.convertFromFormat1(in: connection)
      } catch let error as SQLiteError {
        throw error
      } catch {
        throw SQLiteError(
          code: .corrupt,
          operation: .read,
          message: "\(error)",
          path: connection.path
        )
      }
    }.migrate(connection)
  }

  /// Makes an empty database a store of this build's format; `body` writes its contents in one transaction.
  package static func fill(
    _ connection: Connection,
    now: Int64,
    _ body: (Connection) throws -> Void
  ) throws {
    try migrate(connection, now: now)
    // The migrations have dropped tables.
    try connection.incrementalVacuum(pages: try connection.freelistCount())
    try connection.transaction { try body(connection) }
  }
}
