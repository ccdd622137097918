import Foundation
import StrataBase
import StrataMigrations
import StrataSQLite

/// A file that was opened and verified: its newest sound snapshot, and the unbroken run of deltas after
/// it.
package struct RestoredFile {
  let connection: Connection
  package let identity: StoreIdentity
  package let catalog: LayoutCatalog
  /// The tables the file lists.
  package let tables: Set<String>
  package let snapshot: SnapshotHeader
  /// Newer snapshots that were skipped because they are damaged.
  let damaged: Set<Revision>
  package let revision: Revision
  let chain: Checksum
  /// The time of the last delta, in microseconds since 1970.
  let lastTime: Int64
  package let replayedDeltas: Int
  /// The bytes of the deltas after the snapshot.
  let journalBytes: Int64
  /// What was noticed and is no error.
  package internal(set) var notes: [String]

  /// Where the file stands.
  package var position: Position {
    Position(storeID: identity.id, epoch: identity.epoch, revision: revision, chain: chain)
  }

  /// Whether the last delta was written by the opening with this origin.
  func wasLastWritten(by originID: UUID) throws -> Bool {
    let origin = try Journal(connection: connection).last()?.header.origin
    return try origin.map { try StoreIdentity.origin(originID, in: connection) == $0 } ?? false
  }
}

extension RestoredFile {
  /// Opens a file for its one writer and verifies what it holds; `read` receives the entities in the same
  /// pass.
  ///
  /// Nothing is written: a file that is refused keeps every byte, and its WAL too.
  static func openForWriting<Contents>(
    _ path: StorePath,
    now: Int64,
    vfs: String?,
    _ progress: (@Sendable (PersistenceProgress) -> Void)? = nil,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    let connection = try Connection(path: path.file, mode: .readWrite, vfs: vfs)
    connection.checkpointsOnClose = .never
    try check(connection, path, .opening)
    try connection.configureWriter(
      newFile: FileHeader(applicationID: StoreHeader.applicationID)
    )
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    return try load(connection, progress, read)
  }

  /// Verifies what a file holds that is only read, at rest or while a writer is at work.
  static func openForReading<Contents>(
    _ access: ReadAccess,
    at path: StorePath,
    _ progress: (@Sendable (PersistenceProgress) -> Void)?,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    try check(access.connection, path, .opening)
    guard Int(try access.connection.userVersion()) == StoreFormat.known else {
      throw PersistenceError(
        .opening,
        path: path.file,
        .migration("it is of an older format; open it once for writing")
      )
    }
    return try load(access.connection, progress, read)
  }

  /// Refuses a file that is no store, or of a newer format than this build knows.
  static func check(
    _ connection: Connection,
    _ path: StorePath,
    _ operation: PersistenceError.Operation
  ) throws {
    let id = try connection.applicationID()
    guard id == StoreHeader.applicationID else {
      throw PersistenceError(operation, path: path.file, .foreign(applicationID: id))
    }
    let format = Int(try connection.userVersion())
    guard format <= StoreFormat.known else {
      throw PersistenceError(
        operation,
        path: path.file,
        .newerFormat(found: format, known: StoreFormat.known)
      )
    }
  }

  private static func load<Contents>(
    _ connection: Connection,
    _ progress: (@Sendable (PersistenceProgress) -> Void)?,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    let view = try ReadView(connection)
    let reading = try view.read(
      at: view.last.revision,
      from: .verified,
      ProgressMeter(progress)
    ) { merge in
      // A table that is not listed would pass for a new one and start from the initial state.
      if let table = view.catalog.tables.subtracting(view.tables).min() {
        throw CorruptionError("it does not list its table \(table)")
      }
      return try read(&merge, view)
    }
    let file = RestoredFile(
      connection: connection,
      identity: view.identity,
      catalog: view.catalog,
      tables: view.tables,
      snapshot: reading.base.header,
      damaged: reading.damaged,
      revision: reading.replay.revision,
      chain: reading.replay.chain,
      lastTime: max(reading.base.header.time, try view.journal.last()?.header.time ?? 0),
      replayedDeltas: reading.replay.deltas,
      journalBytes: reading.replay.bytes,
      notes: reading.notes
    )
    return (file, reading.contents)
  }
}
