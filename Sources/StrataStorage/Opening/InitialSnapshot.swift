import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

/// The first snapshot of a new store, at revision 0.
///
/// Its tables are added in the order of their names.
package struct InitialSnapshot {
  private let connection: Connection
  private let snapshots: SnapshotStore
  private var encoder: EntityEncoder
  private var chunks: ChunkWriter

  /// Creates a store with the entities that `fill` adds.
  ///
  /// A crash at any moment leaves either no store or a complete one; an empty file is never a store. The
  /// caller holds the writer's lock.
  static func createStore(
    at path: StorePath,
    now: Int64,
    _ configuration: PersistenceConfiguration,
    _ preparation: (any FilePreparation)?,
    _ fill: (inout InitialSnapshot) throws -> Void
  ) throws {
    let file = NewFile(underLockOf: path, for: .opening, on: configuration.disk)
    file.removeLeftovers()
    try file.make {
      try file.createStore(now: now) { connection in
        let identity = StoreIdentity(
          id: Scheduling.uuid(),
          epoch: 1,
          created: now,
          application: configuration.application,
          lineages: [Lineage(.created, after: nil, at: Date(microseconds: now))]
        )
        try identity.write(to: connection)
        var snapshot = try InitialSnapshot(of: identity, now: now, in: connection)
        try fill(&snapshot)
        try snapshot.finish(identity)
        try preparation?.note(inNew: connection, time: now, layout: snapshot.encoder.catalog.last)
      }
      try file.giveName()
    }
  }

  private init(of identity: StoreIdentity, now: Int64, in connection: Connection) throws {
    self.connection = connection
    snapshots = SnapshotStore(connection: connection)
    encoder = EntityEncoder(
      try LayoutCatalog(reading: connection),
      of: identity.id,
      in: connection
    )
    chunks = try ChunkWriter(
      revision: 0,
      time: now,
      chain: Position.genesis(of: identity.id, identity.lineage),
      of: identity,
      in: snapshots
    )
  }

  /// Adds a table with the entities that `encode` returns in any order.
  package mutating func add(
    table: String,
    _ encode: (inout EntityEncoder) throws -> [StoredEntity]
  ) throws {
    try ListedTable.add(table, since: 0, to: connection)
    for entity in try encode(&encoder).sorted(by: { $0.key < $1.key }) {
      chunks.add(entity)
      if chunks.isFull { try chunks.writeChunk(to: snapshots, encoder.catalog) }
    }
    try chunks.endRun(in: snapshots, encoder.catalog)
  }

  /// Writes the rest, and reads all of it back before anything relies on it.
  private mutating func finish(_ identity: StoreIdentity) throws {
    try chunks.finish(in: snapshots, encoder.catalog)
    for snapshot in try snapshots.all() {
      var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, encoder.catalog)
      try cursor.verifyAll()
    }
    try snapshots.markVerified(0)
  }
}
