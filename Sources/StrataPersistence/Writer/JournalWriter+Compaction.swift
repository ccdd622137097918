extension JournalWriter {
  /// Takes a snapshot of everything committed before the call and removes what is older.
  func compact() throws(PersistenceError) -> Compaction {
    guard let line else { throw PersistenceError(.compacting, path: path.file, .closed) }
    try flush(through: line.lastRevision)
    guard let session else { throw PersistenceError(.compacting, path: path.file, unavailable) }
    let before = path.fileSize + path.walSize
    do {
      let revision = try takeSnapshot(session)
      try upkeep.startCompacting(session)
      while upkeep.isTrimming {
        try stepUpkeep(session)
        try checkpointIfDue()
      }
      try session.checkpointFully()
      noteSynced(session, line)
      noteSizes()
      planUpkeep()
      let first = try session.journal.first()
      return Compaction(
        snapshot: revision,
        historyFrom: first.map { Revision($0.number - 1) } ?? revision,
        bytesBefore: before,
        bytesAfter: path.fileSize + path.walSize
      )
    } catch {
      fail(error, in: .compacting)
      degradeIfDoubtful(error)
      throw PersistenceError(.compacting, path: path.file, wrapping: error)
    }
  }
}
