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
  /// Throws `PersistenceError`: `.notFound`, `.nameTaken`, and for the disk.
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
  /// `.notFound` for a name that is not there; then none is removed.
  public func removeSnapshots(named names: [String]) async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.snapshotting, path: path, .readOnly)
    }
    try await writer.removeSnapshots(named: names)
  }

  /// Removes all history: what remains is a snapshot of everything committed before the call, and
  /// the named snapshots.
  ///
  /// Call it to make a file small: before it is sent somewhere, or after much was removed.
  /// **History is lost**: from now on `state(at:)`, `deltas` and `revert` reach back to this
  /// moment, and the contents of old deltas and snapshots are no longer in the file. A disk may
  /// keep freed blocks.
  ///
  /// The snapshot is read back and verified before anything is removed. A crash in between leaves
  /// an intact store with more or less of its history. Deltas that a reader of the history in this
  /// process has not read yet stay. O(entities + history); commits wait in memory meanwhile.
  ///
  /// Throws `PersistenceError` while the disk fails, and for a file that is closed, suspended or
  /// open for reading only.
  @discardableResult
  public func compact() async throws(PersistenceError) -> Compaction {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.compacting, path: path, .readOnly)
    }
    return try await writer.compact()
  }
}
