import StrataSQLite

extension JournalWriter {
  /// How many pages a slice copies: 1 MB.
  private static let backupSlice = 256

  /// Copies the database into an empty file, in slices between groups; gives where the copy stands.
  ///
  /// What is committed before the call is in it, and mostly what comes while it is made.
  func copy(
    to file: String,
    _ progress: (@Sendable (BackupProgress) -> Void)?
  ) async throws -> Position {
    guard let line else { throw PersistenceError(.backingUp, path: path.file, .closed) }
    try flush(through: line.lastRevision)
    guard let session else { throw PersistenceError(.backingUp, path: path.file, unavailable) }
    let destination = try Connection(path: file, mode: .readWrite, vfs: configuration.vfs)
    let backup = try OnlineBackup(from: session.connection, to: destination)
    backups.append(backup)
    defer { backups.removeAll { $0 === backup } }
    while case .copying(let done, let count) = try backup.step(pages: Self.backupSlice) {
      progress?(BackupProgress(copiedPages: done, pages: count))
      await Task.yield()
      guard self.session === session else {
        throw PersistenceError(.backingUp, path: path.file, reasonOfLoss(line))
      }
    }
    let position = session.position
    try backup.finish()
    try destination.close()
    return position
  }

  private func reasonOfLoss(_ line: WriteLine) -> PersistenceError.Reason {
    if case .degraded(let reason) = line.condition { return reason }
    return lock == nil ? unavailable : .busy("the file was opened anew meanwhile")
  }

  /// Ends the copies that are being made, so that the connection can be closed.
  func giveUpBackups() {
    // What became of a copy that nobody will use does not matter.
    for backup in backups { do { try backup.finish() } catch _ {} }
  }
}
