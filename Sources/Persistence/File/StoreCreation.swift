import Foundation
import StrataMigrations
import StrataNormalization
import StrataSQLite

/// The making of a new store: whole under another name first, then given its own.
///
/// So a crash at any moment leaves either no store or a complete one, and an empty file is never
/// ours. The caller holds the writer's lock.
struct StoreCreation {
  let path: StorePath
  let now: Int64
  var disk = Disk.system

  /// Creates the file with the initial database as snapshot 0.
  func create<Database: DatabaseType>(_ initial: Database) throws {
    removeLeftovers()
    do {
      try build(initial)
      try disk.sync(path.creating)
      try disk.giveName(path.file, to: path.creating)
      removeLeftovers()
      try disk.sync(path.directory)
    } catch {
      removeLeftovers()
      throw error
    }
  }

  private func build<Database: DatabaseType>(_ initial: Database) throws {
    // Readable by its owner alone from its first byte on; SQLite gives its other files the same mode.
    _ = try disk.open(path.creating, O_RDWR | O_CREAT | O_EXCL)
    let connection = try Connection(path: path.creating, mode: .readWrite, vfs: disk.vfs)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    let identity = StoreIdentity(id: UUID(), epoch: 1, created: now)
    try connection.transaction {
      try identity.write(to: connection)
      try writeSnapshot(initial, identity, connection)
    }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  private func writeSnapshot<Database: DatabaseType>(
    _ initial: Database,
    _ identity: StoreIdentity,
    _ connection: Connection
  ) throws {
    var catalog = try LayoutCatalog(reading: connection)
    var encoder = EntityEncoder(resuming: [:])
    let snapshots = SnapshotStore(connection: connection)
    var writer = try ChunkWriter(
      revision: 0,
      time: now,
      chain: Position.genesis(of: identity.id),
      of: identity,
      in: snapshots
    )
    for table in Database.schema.tables {
      try StoreIdentity.addTable(table.name.text, since: 0, to: connection)
      let entities = try table.stored(in: initial, &encoder, &catalog, connection)
      for entity in entities.sorted(by: { $0.key < $1.key }) {
        writer.add(entity)
        if writer.isFull { try writer.writeChunk(to: snapshots, catalog) }
      }
    }
    try writer.finish(in: snapshots, catalog)
    try prove(identity, snapshots, catalog)
  }

  /// Reads the snapshot back before anyone relies on it.
  private func prove(
    _ identity: StoreIdentity,
    _ snapshots: SnapshotStore,
    _ catalog: LayoutCatalog
  ) throws {
    for snapshot in try snapshots.all() {
      var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, catalog)
      try cursor.proveAll()
    }
    try snapshots.markVerified(0)
  }

  private func removeLeftovers() {
    for suffix in ["", "-wal", "-shm"] { _ = unlink(path.creating + suffix) }
  }
}
