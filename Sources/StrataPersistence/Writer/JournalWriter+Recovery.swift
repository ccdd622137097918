import StrataBase
import StrataSQLite

extension JournalWriter {
  /// Goes on in memory, and plans to try the file again.
  @discardableResult
  func degrade(_ error: any Error, _ line: WriteLine) -> PersistenceError {
    let error = PersistenceError(.appending, path: path.file, wrapping: error)
    giveUpBackups()
    dropSession()
    line.degrade(error.reason)
    noteDegraded(error)
    events.tell(.degraded(error.reason))
    planRecovery()
    return error
  }

  private func noteDegraded(_ error: PersistenceError) {
    let now = configuration.now()
    board.note { $0.degrade(error, at: now) }
  }

  func planRecovery() {
    guard !isRecoveryPlanned, lock != nil else { return }
    isRecoveryPlanned = true
    executor.schedule(after: recoveryDelay) { [weak self] in
      self?.assumeIsolated { $0.tryRecovery() }
    }
  }

  private func tryRecovery() {
    isRecoveryPlanned = false
    guard let line, lock != nil, session == nil else { return }
    do {
      try recover(line)
      recoveryDelay = configuration.recoveryInterval
    } catch {
      dropSession()
      let error = PersistenceError(.appending, path: path.file, wrapping: error)
      line.degrade(error.reason)
      noteDegraded(error)
      recoveryDelay = min(recoveryDelay * 2, .seconds(30))
      planRecovery()
    }
  }

  /// Opens the file again, compares it with what was written, and writes what it lacks.
  func recover(_ line: WriteLine) throws {
    let now = configuration.now().microseconds
    let restored = try RestoredFile(
      openingForWriting: path,
      now: now,
      vfs: configuration.vfs
    )
    try checkStanding(of: restored, line)
    let session = try WriterSession(
      restored,
      path: path,
      on: configuration.disk,
      originID: originID,
      bootID: configuration.bootID,
      time: now,
      traces: configuration.commitTraces,
      keeping
    )
    self.session = session
    line.recover(through: session.written.revision)
    upkeep.begin(with: restored)
    while try writeGroup(line) {}
    try sync(line)
    noteSynced(session, line)
    board.note { $0.condition = .healthy }
    noteSizes()
    events.tell(.recovered(through: session.written.revision))
  }
}
