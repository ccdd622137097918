package import Foundation
package import StrataBase
package import StrataSQLite
import StrataSchema

/// A file that was opened and verified: its newest intact snapshot, and the deltas after it without a
/// gap.
package struct RestoredFile {
  package let connection: Connection
  package private(set) var identity: StoreIdentity
  package let catalog: LayoutCatalog
  /// The tables that the file lists.
  package let tables: Set<String>
  package let snapshot: SnapshotHeader
  /// Newer snapshots that were skipped because they are damaged.
  package let damaged: Set<Revision>
  package let revision: Revision
  package let chain: Checksum
  /// The time of the last delta, in microseconds since 1970.
  package let lastTime: Int64
  package let replayedDeltas: Int
  /// The size of the deltas after the snapshot.
  package let journalBytes: Int64
  /// Observations that are not errors.
  package var notes: [String]

  /// The position of the file.
  package var position: Position {
    Position(storeID: identity.id, lineage: identity.lineage, revision: revision, chain: chain)
  }

  /// Whether the last delta was written by the opening with this origin ID.
  package func wasLastWritten(by originID: UUID) throws -> Bool {
    let origin = try Journal(connection: connection).last()?.header.origin
    return try origin.map { try StoreIdentity.origin(originID, in: connection) == $0 } ?? false
  }
}

extension RestoredFile {
  /// Checks that the next delta can be appended.
  package func checkEnd() throws {
    try Journal(connection: connection).checkEnd(at: revision)
  }

  /// Writes the name of the application into a file that has none.
  package mutating func prepareForWriting(application: String?) throws {
    guard identity.application == nil, let application else { return }
    identity.application = application
    try identity.replace(in: connection)
  }

  /// Refuses a file that is not a store, has another format than this build reads, or another schema than
  /// the migrations make.
  ///
  /// Nothing of the file's schema is used before: an object that was planted in it could run.
  package static func check(
    _ connection: Connection,
    _ path: StorePath,
    _ operation: PersistenceError.Operation
  ) throws {
    do {
      try check(connection)
    } catch let reason as PersistenceError.Reason {
      throw PersistenceError(operation, path: path.file, reason)
    }
  }

  /// The same for a database that is no file: throws a reason.
  package static func check(_ connection: Connection) throws {
    let id = try connection.applicationID()
    guard id == StoreHeader.applicationID else {
      throw PersistenceError.Reason.foreign(applicationID: id)
    }
    try StoreFormat.check(Int(try connection.userVersion()))
    if let difference = try StoreFormat.difference(of: connection) {
      throw CorruptionError("its schema is not that of a store: \(difference)")
    }
  }

  /// Verifies the contents of a file, with every row that has a hash; `read` receives the entities in the same pass.
  ///
  /// It changes nothing.
  package static func read<Contents>(
    _ connection: Connection,
    application: String?,
    _ progress: (@Sendable (PersistenceProgress) -> Void)? = nil,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    let view = try ReadView(connection)
    try view.identity.check(application: application)
    // These rows are read later, when a wrong one could do harm. Openings are read when a delta names one.
    for table in HashedTable.all where table.name != HashedTable.origin.name {
      try table.verify(connection)
    }
    let reading = try view.read(
      at: view.last.revision,
      from: .verified,
      ProgressMeter(progress)
    ) { merge in
      try view.checkListed(view.catalog.tables.union(merge.tables))
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
