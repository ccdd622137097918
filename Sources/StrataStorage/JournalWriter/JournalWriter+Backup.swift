import StrataBase
package import StrataJournal
import StrataSQLite

extension JournalWriter {
  /// The pages a slice copies: 1 MB.
  private static let backupSlice = 256

  /// Copies the database into an empty file, in slices between groups; returns the position of the copy.
  ///
  /// It holds every commit made before the call, and most of those made during the copy.
  package func copy(
    into file: NewFile,
    _ progress: (@Sendable (BackupProgress) -> Void)?
  ) async throws -> Position {
    try flush(through: queue.lastRevision)
    let session = try requireSession(for: .backingUp)
    let destination = try file.connect()
    let backup = try OnlineBackup(from: session.connection, to: destination)
    backups.append(backup)
    defer { backups.removeAll { $0 === backup } }
    while case .copying(let done, let count) = try backup.step(pages: Self.backupSlice) {
      progress?(BackupProgress(copiedPages: done, pages: count))
      await Scheduling.current.yield()
      guard try requireSession(for: .backingUp) === session else {
        throw PersistenceError(
          .backingUp,
          path: path.file,
          .busy("the file was closed and opened again meanwhile")
        )
      }
    }
    let position = session.position
    try backup.finish()
    try destination.close()
    return position
  }

  /// Ends the copies in progress, so that the connection can be closed.
  func abortBackups() {
    // The copies are discarded, so an error does not matter.
    for backup in backups { do { try backup.finish() } catch _ {} }
  }
}
