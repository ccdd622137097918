public import StrataJournal
import StrataStorage

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
}
