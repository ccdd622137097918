import Foundation

extension JournalWriter {
  /// Writes what waits, and releases the file and its lock until ``resume()``.
  ///
  /// They are released even when something could not be written; the error says why.
  package func suspend() throws(PersistenceError) {
    switch state {
    case .suspended, .reading: return
    case .unopened, .closed: throw PersistenceError(.suspending, path: path.file, .closed)
    case .writing, .degraded: break
    }
    giveUpBackups()
    var failure: PersistenceError?
    do {
      try writeEverything()
    } catch {
      failure = PersistenceError(.suspending, path: path.file, wrapping: error)
    }
    release()
    noteSuspended(failure)
    if let failure { throw failure }
  }

  /// Takes the lock and the file again, checks that it is as it was left, and writes what was committed
  /// meanwhile.
  ///
  /// When that fails, nothing has changed.
  package func resume() throws(PersistenceError) {
    guard case .suspended(let position) = state else {
      if case .closed = state { throw PersistenceError(.resuming, path: path.file, .closed) }
      return
    }
    do {
      guard try path.fileStatus(.resuming) != .missing else {
        throw PersistenceError(.resuming, path: path.file, .missing)
      }
      try recover(try acquireLock(), after: position)
    } catch {
      release()
      let error = PersistenceError(.resuming, path: path.file, wrapping: error)
      noteSuspended(error)
      throw error
    }
  }

  /// Writes what waits, folds SQLite's WAL into the file and releases it.
  ///
  /// The caller has made sure that no commit adds anything any more. The file is released even when that
  /// fails; the error says why it did.
  package func close() throws(PersistenceError) {
    switch state {
    case .reading: events.finish()
    case .unopened, .closed: break
    case .writing, .degraded, .suspended: try closeFile()
    }
  }

  private func closeFile() throws(PersistenceError) {
    giveUpBackups()
    defer {
      state = .closed
      board.note { $0.condition = .closed }
      events.finish()
    }
    do {
      if case .suspended = state, queue.current.written < queue.lastRevision { try resume() }
      if case .suspended = state {} else { try writeEverything() }
    } catch {
      throw PersistenceError(.closing, path: path.file, wrapping: error)
    }
    guard unpersisted.isEmpty else {
      throw PersistenceError(.closing, path: path.file, .notPersisted(unpersisted.entities))
    }
  }

  /// Writes all that waits and closes the connection.
  private func writeEverything() throws {
    if case .degraded(let lock, let position) = state { try recover(lock, after: position) }
    while try writeGroup() {}
    guard let session else { return }
    try session.close()
    noteSynced(session)
  }

  private func release() {
    dropSession()
    if case .degraded(_, let position) = state { state = .suspended(position) }
    queue.suspend()
  }

  private func noteSuspended(_ failure: PersistenceError?) {
    let now = configuration.now()
    board.note { notes in
      notes.condition = .suspended(since: now)
      if let failure { notes.fail("\(failure)", at: now) }
    }
  }
}
