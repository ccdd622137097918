import StrataArchive
public import StrataJournal
import StrataStorage

extension Persistence {
  /// Writes pending commits and releases the file: no lock is held and nothing is open until
  /// ``resume()``.
  ///
  /// It is for programs that must not hold a file while they are suspended, such as an app in the
  /// background whose file is in a shared container. The store stays usable: what is committed
  /// meanwhile waits in memory and is written by `resume`. Beyond the configured `queueCapacity` of
  /// changed entities it is merged, as while the disk fails, so memory is bounded by the entities
  /// that change. Meanwhile `flush` and everything else that needs the file throws with the reason
  /// `.suspended`.
  ///
  /// Waits for a reading of the history that is in progress; a backup is aborted. Suspending again
  /// does nothing. Suspending a persistence that was opened for reading only does nothing either,
  /// as it holds no file. Throws `PersistenceError` when something could not be written: the file
  /// is released all the same, and what could not be written stays in memory.
  public func suspend() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    await reader.stop(.suspended)
    await shipper?.suspend(.suspended)
    try await writer.suspend()
  }

  /// Opens the file again and writes what was committed meanwhile.
  ///
  /// O(entities in the file), like opening: all of it is verified again. Resuming when it is not
  /// suspended does nothing.
  ///
  /// Throws `PersistenceError`: `.alreadyOpen` while another writer has the file, `.missing` when
  /// it is gone, `.movedOn` when another writer has written to it meanwhile, or when another file
  /// is in its place. Then it stays suspended, and the call may be repeated. After `.movedOn` the
  /// store and the file hold two histories: close this persistence, which writes nothing then, and
  /// open the file again.
  public func resume() async throws(PersistenceError) {
    if writer.configuration.restore == .readOnly { return }
    try await writer.resume()
    await reader.resume()
    await shipper?.resume()
  }
}
