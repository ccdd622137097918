import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite
import StrataStorage

/// A store's file that receives the deltas of another copy of the store, and has none of its own.
///
/// It holds the writer's lock, and belongs to the executor that opened it.
package final class ReplicaFile {
  private let store: OwnedStore
  private let connection: Connection
  private var identity: StoreIdentity
  /// Where the file ends.
  package private(set) var position: Position

  /// Opens a file for appending; its contents are verified when they are restored.
  ///
  /// Throws `.missing`, `.alreadyOpen`, `.foreignCompanion`, and for the disk.
  package init(at path: StorePath, on disk: Disk) throws {
    var store = try OwnedStore(path, for: .archiving, PersistenceConfiguration(on: disk))
    (connection, identity, position) = try store.leavingNoTrace { store in
      let connection = try store.connectForWriting()
      let view = try ReadView(connection)
      try store.checkHead(of: view.position, view.identity.lineages)
      return (connection, view.identity, view.position)
    }
    self.store = store
  }

  /// Appends deltas that continue the file.
  ///
  /// - Parameter catalog: That of the archive, with what is known of the deltas. A file that had the records of a migration
  ///   and not its row in the ledger would run it again on them, so the two come in one transaction.
  /// - Throws: `CorruptionError` if they do not continue it; then the file is unchanged.
  package func append(
    _ frames: [DeltaFrame],
    raisingEpochTo epoch: Int64,
    with catalog: ArchiveCatalog?
  ) throws {
    guard let last = frames.last else { return }
    try DeltaFrame.append(frames, raisingEpochTo: epoch, to: connection) {
      if let catalog, frames.haveMigrations {
        try write(catalog, through: last.header.revision)
      }
    }
    position = Position(
      storeID: position.storeID,
      lineage: position.lineageID,
      revision: last.header.revision,
      chain: last.chain
    )
    if connection.walFrames > 4_096 { try connection.checkpoint(.passive) }
  }

  /// Imports an archive's catalog.
  package func add(catalog: ArchiveCatalog) throws {
    try connection.transaction { try write(catalog, through: position.revision) }
  }

  private func write(_ catalog: ArchiveCatalog, through revision: Revision) throws {
    try catalog.write(to: connection, through: revision)
  }

  /// Raises the epoch.
  package func raiseEpoch(to epoch: Int64) throws {
    guard epoch > identity.epoch else { return }
    identity = try StoreIdentity.read(connection)
    identity.epoch = max(identity.epoch, epoch)
    try connection.transaction { try identity.replace(in: connection) }
  }

  /// Makes everything durable and closes the file.
  package func close() throws {
    try connection.checkpoint(.truncate)
    connection.checkpointsOnClose = .automatic
    try connection.close()
    try HeadFile.write(position, for: store.path, on: store.configuration.disk)
  }
}

extension [DeltaFrame] {
  /// Whether a run of migrations has written one of them.
  var haveMigrations: Bool { contains { $0.header.trace != nil } }
}
