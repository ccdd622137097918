import StrataBase
import StrataJournal

extension JournalWriter {
  /// The state of the file at this moment; see `Persistence.status`.
  package nonisolated var status: PersistenceStatus {
    let tracked = statusTracker.current
    let load = queue.load
    let progress = queue.current
    return PersistenceStatus(
      condition: tracked.condition,
      queue: PersistenceStatus.Queue(
        commits: Int(max(0, load.lastRevision.number - progress.written.number)),
        entities: load.entities,
        capacity: load.capacity
      ),
      revisions: PersistenceStatus.Revisions(
        committed: load.lastRevision,
        written: progress.written,
        durable: progress.durable
      ),
      bytes: PersistenceStatus.Bytes(
        database: path.fileSize,
        wal: path.walSize,
        journal: tracked.journalBytes,
        snapshots: tracked.snapshotBytes
      ),
      lastSync: tracked.lastSync,
      lastFailure: tracked.lastFailure,
      notPersisted: tracked.unpersisted.entities,
      pinnedWAL: tracked.pinnedWAL,
      newestSnapshot: tracked.newestSnapshot,
      trimmed: tracked.trimmed
    )
  }
}
