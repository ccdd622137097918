import StrataBase
package import StrataJournal
import StrataSchema

extension JournalWriter {
  /// Schedules the next round of maintenance, after everything the writer is asked for by then.
  func planMaintenance() {
    guard session != nil, maintenance.hasWork, !maintenance.isPlanned else { return }
    maintenance.isPlanned = true
    executor.schedule { [weak self] in
      self?.assumeIsolated { $0.runMaintenance() }
    }
  }

  private func runMaintenance() {
    maintenance.isPlanned = false
    guard let session else { return }
    do {
      for _ in 0..<maintenance.slicesOfRound() where maintenance.hasWork {
        try stepMaintenance(session)
        try checkpointIfDue()
      }
    } catch {
      noteFailure(error, in: .snapshotting)
      events.send(.snapshotFailed("\(error)"))
      degradeIfUncertain(error)
    }
    noteSizes()
    planMaintenance()
  }

  private func stepMaintenance(_ session: WriterSession) throws {
    if let event = try maintenance.step(session) { events.send(event) }
    guard configuration.progress != nil else { return }
    if let progress = maintenance.snapshotProgress {
      if snapshotMeter == nil {
        snapshotMeter = ProgressMeter(configuration.progress)
        snapshotMeter?.begin(.snapshotting, total: progress.total)
      }
      snapshotMeter?.note(done: progress.done)
    } else {
      snapshotMeter?.end()
      snapshotMeter = nil
    }
  }

  /// Degrades after an error that means more than a missing snapshot: a sync failed, or the head may be
  /// half written.
  private func degradeIfUncertain(_ error: any Error) {
    guard error is SystemError || FailedSync.matches(error) else { return }
    degrade(error)
  }

  private func noteFailure(_ error: any Error, in operation: PersistenceError.Operation) {
    maintenance.interrupt()
    session?.goOn(after: error)
    let error = PersistenceError(operation, path: path.file, wrapping: error)
    let now = configuration.now()
    statusTracker.update { $0.fail("\(error)", at: now) }
  }

  /// Reports to the status how much space is used.
  func noteSizes() {
    let sizes = maintenance.sizes
    statusTracker.update { $0.note(sizes) }
  }

  /// Runs `work` on the file once every commit made before the call is in it.
  func withEverythingWritten<R>(
    for operation: PersistenceError.Operation,
    _ work: (WriterSession) throws -> R
  ) throws(PersistenceError) -> R {
    try flush(through: queue.lastRevision)
    let session = try requireSession(for: operation)
    do {
      let result = try work(session)
      noteSizes()
      planMaintenance()
      return result
    } catch {
      noteFailure(error, in: operation)
      degradeIfUncertain(error)
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Takes a snapshot of everything committed before the call and gives it a name.
  package func snapshot(named name: String) throws(PersistenceError) -> Revision {
    try withEverythingWritten(for: .snapshotting) { session in
      let revision = try takeSnapshot(session)
      try session.snapshots.name(name, revision)
      try session.barrier()
      return revision
    }
  }

  /// Takes a snapshot of everything committed before the call and removes what is older; returns the revision of the
  /// snapshot, where the history starts now, and the size of the file and its WAL before and after.
  package func compact() throws(PersistenceError) -> (
    snapshot: Revision, historyFrom: Revision, bytesBefore: Int64, bytesAfter: Int64
  ) {
    try withEverythingWritten(for: .compacting) { session in
      let before = path.fileSize + path.walSize
      let revision = try takeSnapshot(session)
      try maintenance.startCompacting(session)
      while maintenance.isTrimming {
        try stepMaintenance(session)
        try checkpointIfDue()
      }
      try session.checkpointFully()
      noteSynced(session)
      let first = try session.journal.first()
      return (
        revision, first.map { $0.previous } ?? revision, before, path.fileSize + path.walSize
      )
    }
  }

  /// Makes sure that there is a readable snapshot of everything written; returns its revision.
  private func takeSnapshot(_ session: WriterSession) throws -> Revision {
    if try !maintenance.hasSnapshot(session) {
      try maintenance.startSnapshot(session)
      while maintenance.isSnapshotting { try stepMaintenance(session) }
    }
    return session.written.revision
  }
}
