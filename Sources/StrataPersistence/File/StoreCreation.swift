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

  /// Creates the file with the initial database, and the values beside it, as snapshot 0.
  func create<Database: DatabaseType>(_ initial: Database, _ keeping: Keeping) throws {
    removeLeftovers()
    do {
      try build(initial, keeping)
      try disk.sync(path.creating)
      try disk.giveName(path.file, to: path.creating)
      removeLeftovers()
      try disk.sync(path.directory)
    } catch {
      removeLeftovers()
      throw error
    }
  }

  private func build<Database: DatabaseType>(_ initial: Database, _ keeping: Keeping) throws {
    // Readable by its owner alone from its first byte on; SQLite gives its other files the same mode.
    _ = try disk.open(path.creating, O_RDWR | O_CREAT | O_EXCL)
    let connection = try Connection(path: path.creating, mode: .readWrite, vfs: disk.vfs)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    let identity = StoreIdentity(id: UUID(), epoch: 1, created: now)
    try connection.transaction {
      try identity.write(to: connection)
      try writeSnapshot(initial, keeping, identity, connection)
    }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  private func writeSnapshot<Database: DatabaseType>(
    _ initial: Database,
    _ keeping: Keeping,
    _ identity: StoreIdentity,
    _ connection: Connection
  ) throws {
    var catalog = try LayoutCatalog(reading: connection)
    var encoder = EntityEncoder(resuming: [:], keeping, of: identity.id)
    let snapshots = SnapshotStore(connection: connection)
    var writer = try ChunkWriter(
      revision: 0,
      time: now,
      chain: Position.genesis(of: identity.id),
      of: identity,
      in: snapshots
    )
    for (name, stored) in contents(initial, keeping, connection) {
      try StoreIdentity.addTable(name.text, since: 0, to: connection)
      let entities = try stored(&encoder, &catalog)
      for entity in entities.sorted(by: { $0.key < $1.key }) {
        writer.add(entity)
        if writer.isFull { try writer.writeChunk(to: snapshots, catalog) }
      }
    }
    try writer.finish(in: snapshots, catalog)
    try prove(identity, snapshots, catalog)
  }

  private typealias Encoding = (inout EntityEncoder, inout LayoutCatalog) throws -> [StoredEntity]

  /// What the snapshot holds, in the order of the tables' names; encoded table by table.
  private func contents<Database: DatabaseType>(
    _ initial: Database,
    _ keeping: Keeping,
    _ connection: Connection
  ) -> [(name: TableName, stored: Encoding)] {
    let tables = Database.schema.tables(in: keeping).map { table in
      (table.name, { try table.stored(in: initial, &$0, &$1, connection) } as Encoding)
    }
    let values = keeping.values.tables.map { value in
      (value.table, { try value.stored(&$0, &$1, connection) } as Encoding)
    }
    return (tables + values).sorted { $0.0 < $1.0 }
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
