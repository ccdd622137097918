public import StrataStorage

extension Persistence {
  /// Writes what waits and lets go of the file: no lock is held and nothing is open until
  /// ``resume()``.
  ///
  /// For programs that must not hold a file while they sleep, as an app in the background whose file
  /// is in a shared container. The store goes on: what is committed meanwhile waits in memory and is
  /// written by `resume`. Beyond the configured `queueCapacity` of changed entities it is merged, as
  /// while the disk refuses, so memory is bounded by the entities that change. Meanwhile `flush` and
  /// all that asks the file throws with the reason `.suspended`.
  ///
  /// Waits for a reading of the history that is under way; a backup is given up. Suspending again does
  /// nothing, and so does suspending what was opened for reading only, as it holds no file. Throws
  /// ``PersistenceError`` when something could not be written: the file is let go all
  /// the same, and what could not be written is kept in memory.
  public func suspend() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    await reader.stop(.suspended)
    try await writer.suspend()
  }

  /// Opens the file again and writes what was committed meanwhile.
  ///
  /// O(entities in the file), like opening: all of it is proved again. Resuming when it is not
  /// suspended does nothing.
  ///
  /// Throws ``PersistenceError``: `.alreadyOpen` while another writer has the file, `.missing` when it
  /// is gone, `.movedOn` when another writer had it meanwhile and went on, or when another file stands
  /// in its place. Then it stays suspended, and may be tried again. After `.movedOn` what the store
  /// holds and what the file holds are two histories: close this persistence, which writes nothing
  /// then, and open the file anew.
  public func resume() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    try await writer.resume()
    await reader.resume()
  }
}
