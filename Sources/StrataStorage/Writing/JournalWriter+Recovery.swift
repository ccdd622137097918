import StrataBase
import StrataSQLite

extension JournalWriter {
  /// Continues in memory after an error, and plans to try the file again.
  @discardableResult
  func degrade(_ error: any Error) -> PersistenceError {
    let error = PersistenceError(.appending, path: path.file, wrapping: error)
    giveUpBackups()
    dropSession()
    queue.degrade(error.reason)
    noteDegraded(error)
    events.send(.degraded(error.reason))
    planRecovery()
    return error
  }

  private func noteDegraded(_ error: PersistenceError) {
    let now = configuration.now()
    board.note { $0.degrade(error, at: now) }
  }

  private func planRecovery() {
    guard !isRecoveryPlanned, case .degraded = state else { return }
    isRecoveryPlanned = true
    executor.schedule(after: recoveryDelay) { [weak self] in
      self?.assumeIsolated { $0.tryRecovery() }
    }
  }

  private func tryRecovery() {
    isRecoveryPlanned = false
    guard case .degraded(let lock, let position) = state else { return }
    do {
      try recover(lock, after: position)
      recoveryDelay = configuration.recoveryInterval
    } catch {
      dropSession()
      let error = PersistenceError(.appending, path: path.file, wrapping: error)
      queue.degrade(error.reason)
      noteDegraded(error)
      recoveryDelay = min(recoveryDelay * 2, .seconds(30))
      planRecovery()
    }
  }

  /// Opens the file again, compares it with what was written, and writes what it lacks.
  func recover(_ lock: LockHandle, after position: Position) throws {
    let now = configuration.now().microseconds
    let (file, _) = try RestoredFile.openForWriting(
      path,
      now: now,
      vfs: configuration.vfs
    ) { _, _ in }
    try check(file, continues: position)
    let session = try makeSession(file, now: now)
    state = .writing(session, lock)
    queue.recover(through: session.written.revision)
    maintenance.begin(with: file)
    while try writeGroup() {}
    try sync()
    noteSynced(session)
    board.note { $0.condition = .healthy }
    noteSizes()
    events.send(.recovered(through: session.written.revision))
  }

  /// Refuses a file that is not the one that was left, or that another writer has continued.
  private func check(_ file: RestoredFile, continues left: Position) throws {
    let found = file.position
    let isSame = found.storeID == left.storeID && found.epoch == left.epoch
    let isOurs =
      if found.revision == left.revision {
        found.chain == left.chain
      } else {
        try found.revision > left.revision && found.revision <= queue.lastRevision
          && file.wasLastWritten(by: originID)
      }
    guard isSame, isOurs else { throw FileMovedOn(from: left, to: found) }
  }
}

/// A file is not where its writer left it.
struct FileMovedOn: Error {
  let from: Position
  let to: Position
}
