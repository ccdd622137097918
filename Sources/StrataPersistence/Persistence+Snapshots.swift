import StrataBase
public import StrataJournal
public import StrataStorage

extension Persistence {
  /// The names of snapshots with their revisions, the oldest first.
  ///
  /// O(snapshots).
  public var snapshotNames: [(name: String, revision: Revision)] {
    get async throws(PersistenceError) {
      try await reader.read { $0.snapshotNames }
    }
  }

  /// Gives a named snapshot another name, and returns its revision.
  ///
  /// Throws `PersistenceError`: `.notThere` for a name that no snapshot has, `.refused` for a new name that another
  /// revision has, and `.disk`.
  @discardableResult
  public func renameSnapshot(
    _ name: String,
    to newName: String
  ) async throws(PersistenceError) -> Revision {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.snapshotting, path: path, .readOnly)
    }
    return try await writer.renameSnapshot(name, to: newName)
  }

  /// Removes names of snapshots, and the snapshots that only these names have kept.
  ///
  /// Other snapshots stay: they belong to the history that the store keeps. Throws `PersistenceError`:
  /// `.notThere` for a name that no snapshot has; then none is removed.
  public func removeSnapshots(named names: [String]) async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.snapshotting, path: path, .readOnly)
    }
    try await writer.removeSnapshots(named: names)
  }
}

extension Persistence {
  /// Copies the store into a new file while it stays open, and returns the position of the copy.
  ///
  /// ```swift
  /// let position = try await persistence.backup(to: "backups/app-2026-11-21.strata")
  /// ```
  ///
  /// The copy is a separate store, one file without companions: `strata verify` and
  /// `Persistence.open` accept it. It holds everything committed before the call. It is made in
  /// slices of a megabyte between the groups of the writer, so commits and flushes continue. Then
  /// every hash and record in it is verified. Then it is synced and gets its name, so a file of
  /// that name is complete. Only its owner can read it. O(file), several times over.
  ///
  /// To restore it, see `StoreBackup.restore`. `progress` is called after each slice, on the
  /// writer's thread: return quickly.
  ///
  /// Throws `PersistenceError`: `.refused` when there is something at the path or a write-ahead
  /// log beside it, `.notAStore` for a rollback journal beside it, `.disk` and other kinds
  /// for either file. Then nothing is left behind. What a killed process has left, the next backup into
  /// the directory removes.
  /// While the disk fails, and after `close()` or `suspend()`, no backup can be made.
  @discardableResult
  public func backup(
    to path: String,
    progress: (@Sendable (BackupProgress) -> Void)? = nil
  ) async throws(PersistenceError) -> Position {
    let path = try StorePath(path, for: .backingUp)
    let disk = writer.configuration.disk
    let file = try NewFile(at: path, from: writer.path, for: .backingUp, on: disk)
    let worker = FileWorker(label: "strata.backup")
    do {
      try await worker.run { try file.create() }
      let position = try await writer.copy(into: file, progress)
      try await worker.run {
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
