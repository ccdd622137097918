public import StrataStorage

extension Persistence {
  /// Copies the store into a new file while it goes on, and gives where the copy stands.
  ///
  /// ```swift
  /// let position = try await persistence.backup(to: "backups/app-2026-11-21.strata")
  /// ```
  ///
  /// The copy is a store of its own, one file without companions: `strata verify` and
  /// `Persistence.open` take it. It holds everything committed before the call. It is made in slices
  /// of a megabyte between the groups of the writer, so commits and flushes go on; then every hash
  /// and record in it is proved; then it is synced and gets its name, so a file of that name is whole.
  /// Its owner alone may read it. O(file), several times over.
  ///
  /// To go back to it see ``StoreBackup/restore(_:to:)``. `progress` is told of each slice, on the
  /// writer's thread: be quick.
  ///
  /// Throws ``PersistenceError``: `.fileExists` when there is something at the path or a write-ahead
  /// log beside it, `.diskFull` and other reasons of either file. Then nothing is left behind. While
  /// the disk refuses, and after `close()` or `suspend()`, there is no backup.
  @discardableResult
  public func backup(
    to path: String,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws(PersistenceError) -> Position {
    let path = try StorePath(path, for: .backingUp)
    let file = try NewFile(at: path, for: .backingUp, on: writer.configuration.disk)
    let work = BackupWorker(file)
    do {
      try await work.run { try $0.create() }
      let position = try await writer.copy(into: file, progress)
      try await work.run { file in
        try file.verify()
        try file.giveName()
      }
      return position
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.backingUp, path: file.path.file, wrapping: error)
    }
  }
}
