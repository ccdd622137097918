public import StrataStorage

extension Persistence {
  /// Removes all history: what is left is a snapshot of everything committed before the call, and
  /// the named snapshots.
  ///
  /// For a file that is to be small: before it is sent somewhere, or after much was removed. **History
  /// goes**: `state(at:)`, `deltas` and `revert` reach back to this moment from now on, and what was
  /// in old deltas and snapshots is no longer in the file. A disk may keep freed blocks.
  ///
  /// The snapshot is read back and verified before anything is removed, and a crash on the way leaves
  /// a whole store with more or less of its history. What a reader of the history in this process has
  /// not come past stays. O(entities + history); commits wait in memory meanwhile.
  ///
  /// Throws ``PersistenceError`` while the disk refuses, and for a file that is closed, suspended or
  /// open for reading only.
  @discardableResult
  public func compact() async throws(PersistenceError) -> Compaction {
    if writer.configuration.restore == .readOnly {
      throw PersistenceError(.compacting, path: path, .readOnly)
    }
    return try await writer.compact()
  }
}
