extension JournalWriter {
  /// Arranges for the next turn of what is due, behind whatever is asked of the writer by then.
  func planUpkeep() {
    guard session != nil, upkeep.hasWork, !upkeep.isPlanned else { return }
    upkeep.isPlanned = true
    executor.schedule { [weak self] in
      self?.assumeIsolated { $0.doUpkeep() }
    }
  }

  private func doUpkeep() {
    upkeep.isPlanned = false
    guard let session else { return }
    do {
      for _ in 0..<upkeep.slicesOfTurn() where upkeep.hasWork {
        try stepUpkeep(session)
        try checkpointIfDue()
      }
    } catch {
      fail(error)
      events.tell(.snapshotFailed("\(error)"))
      degradeIfDoubtful(error)
    }
    noteSizes()
    planUpkeep()
  }

  func stepUpkeep(_ session: WriterSession) throws {
    if let event = try upkeep.step(session) { events.tell(event) }
    guard configuration.progress != nil else { return }
    if let progress = upkeep.snapshotProgress {
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

  /// Gives up the session where an error says more than that there is no snapshot: that a sync failed,
  /// or that the head may be half written.
  func degradeIfDoubtful(_ error: any Error) {
    guard let line, error is SystemError || FailedSync.isMeant(by: error) else { return }
    degrade(error, line)
  }

  func fail(_ error: any Error, in operation: PersistenceError.Operation = .snapshotting) {
    upkeep.interrupt()
    let (error, now) = (
      PersistenceError(operation, path: path.file, wrapping: error), configuration.now()
    )
    board.note { $0.fail("\(error)", at: now) }
  }

  /// Tells the board what is kept.
  func noteSizes() {
    let sizes = upkeep.sizes
    board.note { $0.note(sizes) }
  }

  /// Takes a snapshot of everything committed before the call, and names it.
  func snapshot(named name: String) throws(PersistenceError) -> Revision {
    guard let line else { throw PersistenceError(.snapshotting, path: path.file, .closed) }
    try flush(through: line.lastRevision)
    guard let session else { throw PersistenceError(.snapshotting, path: path.file, unavailable) }
    do {
      let revision = try takeSnapshot(session)
      try session.snapshots.name(name, revision)
      try session.barrier()
      noteSizes()
      planUpkeep()
      return revision
    } catch {
      fail(error)
      degradeIfDoubtful(error)
      throw PersistenceError(.snapshotting, path: path.file, wrapping: error)
    }
  }

  /// Makes sure that there is a snapshot of everything written that can be read; gives its revision.
  func takeSnapshot(_ session: WriterSession) throws -> Revision {
    if try !upkeep.hasSnapshot(session) {
      try upkeep.startSnapshot(session)
      while upkeep.isSnapshotting { try stepUpkeep(session) }
    }
    return session.written.revision
  }
}
