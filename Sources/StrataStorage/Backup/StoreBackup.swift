import Foundation
import StrataSQLite

/// Restores backups of a store.
public enum StoreBackup {
  /// Copies a backup to where a store was, in a new epoch; returns the position of the copy.
  ///
  /// ```swift
  /// try await StoreBackup.restore("backups/app-2026-11-21.strata", to: "app.strata")
  /// let persistence = try await Persistence.open(at: "app.strata", …)
  /// ```
  ///
  /// Commits made after the backup are no longer part of the history. The epoch shows this to everything
  /// that follows the store: it is higher than that of the backup and of the store that was there. (A
  /// backup that is only copied into place is refused, because it lacks commits that its head lists as
  /// acknowledged.)
  ///
  /// Nothing is overwritten: first move the old store away, with its `-wal` and `-shm`. Leave its `.head`,
  /// which states how far it was. The backup is not changed. O(file), several times over, because the copy
  /// is verified before it gets its name.
  ///
  /// Throws ``PersistenceError``: `.fileExists`; `.alreadyOpen` for a backup that is being written to, or a
  /// path that another writer has open; `.damaged` and other reasons of either file.
  @discardableResult
  public static func restore(
    _ backup: String,
    to path: String
  ) async throws(PersistenceError) -> Position {
    try await restore(backup, to: path, on: .system)
  }

  package static func restore(
    _ backup: String,
    to path: String,
    on disk: Disk
  ) async throws(PersistenceError) -> Position {
    let backup = try StorePath(backup, for: .restoringBackup)
    let path = try StorePath(path, for: .restoringBackup)
    let file = try NewFile(at: path, for: .restoringBackup, on: disk)
    do {
      return try await BackupWorker(file).run { file in
        try BackupRestore(backup: backup, file: file).run()
      }
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.restoringBackup, path: file.path.file, wrapping: error)
    }
  }
}

/// The restore of one backup.
private struct BackupRestore {
  let backup: StorePath
  let file: NewFile

  func run() throws -> Position {
    let source = try ReadAccess(backup, on: file.disk)
    if source.mode == .live {
      throw PersistenceError(
        .restoringBackup,
        path: backup.file,
        .alreadyOpen(by: LockFile.owner(at: backup.lock))
      )
    }
    try RestoredFile.check(source.connection, backup, .restoringBackup)
    let owner = LockFile.Owner.current(started: Date())
    let lock = LockHandle(
      try WriterLock.acquire(
        file.path,
        as: owner,
        knownFormat: StoreFormat.known,
        on: file.disk
      )
    )
    defer { withExtendedLifetime(lock) {} }
    try file.create()
    let position = try copy(source.connection)
    try file.verify()
    // The name comes last: a head without a store is harmless, a store without its head is not.
    try HeadFile.write(position, for: file.path, on: file.disk)
    try file.giveName()
    return position
  }

  private func copy(_ source: Connection) throws -> Position {
    let connection = try file.connect()
    let copy = try OnlineBackup(from: source, to: connection)
    guard try copy.step(pages: -1) == .complete else {
      throw PersistenceError(.restoringBackup, path: backup.file, .busy("it is being written to"))
    }
    try copy.finish()
    var identity = try StoreIdentity.read(connection)
    identity.epoch = try HeadFile.epoch(afterCutting: identity, at: file.path, on: file.disk)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try connection.transaction { try identity.writeEpoch(to: connection) }
    let last = try ReadView(connection).last
    try connection.checkpoint(.truncate)
    try connection.close()
    return Position(
      storeID: identity.id,
      epoch: identity.epoch,
      revision: last.revision,
      chain: last.chain
    )
  }
}
