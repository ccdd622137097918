import Foundation
import StrataBase
import StrataSQLite

/// Everything the writer has open while the disk works: the connection and what was read through
/// it.
///
/// After an error it is thrown away whole, and another one is opened.
final class WriterSession {
  let path: StorePath
  let identity: StoreIdentity
  let connection: Connection
  let journal: Journal
  let snapshots: SnapshotStore
  private let origin: Int64
  private var encoder: EntityEncoder
  private var places = PlaceCache()
  private let traces: CommitTraces
  private var head: HeadFile
  private let bootID: UUID
  private var dataVersion: Int64
  /// Which files are written to, whatever has their names by now.
  private let files: [FileIdentity?]
  /// How far the file is.
  private(set) var written: HeadRecord.Mark
  /// How far it surely is on disk.
  private(set) var durable: HeadRecord.Mark
  /// Of SQLite's WAL, at its last checkpoint.
  private var framesCheckpointed = 0
  /// Of deltas, since this session began; snapshots are due by it.
  private(set) var bytesAppended: Int64 = 0

  /// How many pages may stand in SQLite's WAL before they are folded into the database: 8 MB.
  private static let checkpointFrames = 2_048
  /// How many more when a reader was in the way: 1 MB.
  private static let framesToNextAttempt = 256
  /// Beyond this, readers are waited for, a moment.
  private static let walLimit: Int64 = 64 << 20

  /// Takes over a connection that was restored through, and announces itself as an origin.
  init(
    _ restored: RestoredFile,
    path: StorePath,
    on disk: Disk,
    originID: UUID,
    bootID: UUID,
    time: Int64,
    traces: CommitTraces
  ) throws {
    self.path = path
    self.traces = traces
    identity = restored.identity
    connection = restored.connection
    journal = Journal(connection: connection)
    snapshots = SnapshotStore(connection: connection)
    encoder = EntityEncoder(restored.catalog, of: restored.identity.id, in: restored.connection)
    head = try HeadFile(opening: path.head, on: disk)
    self.bootID = bootID
    written = HeadRecord.Mark(revision: restored.revision, chain: restored.chain)
    durable = written
    // What was found in it may be in the system's memory alone: a sync of whoever wrote it, this process
    // or one that is gone, may have failed, and another sync would say nothing of that.
    try connection.rewriteWAL()
    origin =
      try StoreIdentity.origin(originID, in: restored.connection)
      ?? StoreIdentity.addOrigin(originID, at: time, to: restored.connection)
    dataVersion = try connection.dataVersion()
    files = Self.files(at: path)
    try barrier()
    try head.sync()
  }

  private static func files(at path: StorePath) -> [FileIdentity?] {
    [path.file, path.wal].map { FileIdentity(ofFileAt: $0) }
  }

  /// Writes a group of deltas in one transaction; gives what could not be encoded.
  ///
  /// After an error nothing is known: the outcome of a failed COMMIT is only learnt by reopening.
  func append(_ group: [PendingDelta]) throws -> [UnpersistedChange] { try append(group) { _ in } }

  /// Adds tables that are new to the file, and writes what opening found to be missing: a delta for each
  /// group of changes.
  ///
  /// Nothing is written unless all of it can be encoded.
  func appendNewTables(_ additions: OpeningAdditions, time: Int64) throws {
    guard !additions.isEmpty else { return }
    let since = written.revision.next
    var group: [PendingDelta] = []
    for (name, changes) in additions.deltas {
      let revision = (group.last?.revision ?? written.revision).next
      group.append(
        PendingDelta(
          first: revision,
          revision: revision,
          time: time,
          commitName: name,
          place: CommitPlace(),
          changes: changes
        )
      )
    }
    _ = try append(group) { refused in
      if !refused.isEmpty {
        throw PersistenceError.Reason.notPersisted(refused.map(\.entity))
      }
      for table in additions.newTables {
        try StoreIdentity.addTable(table, since: since, to: connection)
      }
    }
    try barrier()
  }

  private func append(
    _ group: [PendingDelta],
    _ finish: ([UnpersistedChange]) throws -> Void
  ) throws -> [UnpersistedChange] {
    guard try connection.dataVersion() == dataVersion else {
      throw CorruptionError("another program has written to the file while this one had it open")
    }
    let before = encoder
    var mark = written
    var refused: [UnpersistedChange] = []
    var bytes = 0
    do {
      try connection.transaction {
        for delta in group {
          let (header, hash, notPersisted) = try append(delta, after: mark)
          mark = HeadRecord.Mark(revision: header.revision, chain: hash)
          for entity in notPersisted {
            refused.append(UnpersistedChange(entity: entity, revision: delta.revision))
          }
          bytes += header.footprint
        }
        try finish(refused)
      }
    } catch {
      encoder = before
      throw error
    }
    written = mark
    bytesAppended += Int64(bytes)
    return refused
  }

  private func append(
    _ delta: PendingDelta,
    after mark: HeadRecord.Mark
  ) throws -> (DeltaHeader, Checksum, [NotPersisted]) {
    var encoding = DeltaEncoder(delta.revision, in: journal)
    try delta.changes.encode(into: &encoding, &encoder)
    let body = try encoding.finish()
    let header = DeltaHeader(
      revision: delta.revision,
      first: delta.first,
      epoch: identity.epoch,
      time: delta.time,
      origin: origin,
      key: nil,
      name: traces.name(of: delta),
      place: traces.place(of: delta.place, &places),
      entities: encoding.entities,
      blocks: encoding.hashes.count,
      bytes: encoding.bytes
    )
    let hash = header.chain(
      after: mark.chain,
      storeID: identity.id,
      blocks: encoding.hashes,
      layouts: try catalog.hashes(of: encoding.layouts)
    )
    try journal.append(header, body: body, hash: hash)
    return (header, hash, encoding.refused)
  }

  /// The layouts of the file.
  var catalog: LayoutCatalog { encoder.catalog }

  /// Where the file stands.
  var position: Position {
    Position(
      storeID: identity.id,
      epoch: identity.epoch,
      revision: written.revision,
      chain: written.chain
    )
  }

  /// Tells the head how far the file is, without waiting for the disk.
  func noteWritten() throws {
    try head.write(
      HeadRecord(
        storeID: identity.id,
        epoch: identity.epoch,
        bootID: bootID,
        durable: durable,
        written: written
      )
    )
  }

  /// Returns when everything written is on disk.
  func barrier() throws {
    try connection.syncWAL()
    try noteSynced()
  }

  /// Takes note that everything written was synced.
  ///
  /// What was synced into files that have lost their names nobody will find.
  private func noteSynced() throws {
    guard Self.files(at: path) == files else {
      throw CorruptionError(
        "it or SQLite's log beside it was removed, moved or exchanged while this one had it open"
      )
    }
    durable = written
    try noteWritten()
  }

  /// Folds SQLite's WAL into the database when there is enough in it, of deltas and of snapshots;
  /// nil when there is not.
  func checkpointIfDue() throws -> Connection.CheckpointResult? {
    // SQLite begins the WAL anew once all of it is in the database and nobody reads it.
    if connection.walFrames < framesCheckpointed { framesCheckpointed = 0 }
    guard connection.walFrames - framesCheckpointed >= Self.checkpointFrames else { return nil }
    framesCheckpointed = connection.walFrames
    let mode: Connection.CheckpointMode = path.walSize > Self.walLimit ? .truncate : .passive
    let result = try connection.checkpoint(mode)
    // SQLite syncs its WAL before it copies; with a reader in the way of every frame it does neither.
    if !result.isComplete {
      try connection.syncWAL()
      // One that waited is not soon tried again: someone who stays must not make all others wait.
      if mode == .passive {
        framesCheckpointed -= Self.checkpointFrames - Self.framesToNextAttempt
      }
    }
    try noteSynced()
    try head.sync()
    return result
  }

  /// Folds all of SQLite's WAL into the database, unless a reader stays in the way.
  func checkpointFully() throws {
    // With a reader in the way SQLite may not even have synced its WAL.
    if try !connection.checkpoint(.truncate).isComplete { try connection.syncWAL() }
    framesCheckpointed = 0
    try noteSynced()
    try head.sync()
  }

  /// Folds all of SQLite's WAL into the database and lets go of the file.
  func close() throws {
    try checkpointFully()
    connection.checkpointsOnClose = .automatic
    try connection.close()
  }
}
