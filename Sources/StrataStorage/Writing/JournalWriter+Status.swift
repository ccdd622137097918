import StrataBase

extension JournalWriter {
  /// How it goes with the file at this moment; see `Persistence.status`.
  package nonisolated var status: PersistenceStatus {
    let noted = board.current
    let load = queue.load
    let progress = queue.current
    return PersistenceStatus(
      condition: noted.condition,
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
        journal: noted.journalBytes,
        snapshots: noted.snapshotBytes
      ),
      lastSync: noted.lastSync,
      lastFailure: noted.lastFailure,
      notPersisted: noted.unpersisted.entities,
      pinnedWAL: noted.pinnedWAL,
      newestSnapshot: noted.newestSnapshot
    )
  }
}
