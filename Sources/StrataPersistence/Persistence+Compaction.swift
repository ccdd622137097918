public import StrataJournal
public import StrataStorage

extension Persistence {
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
