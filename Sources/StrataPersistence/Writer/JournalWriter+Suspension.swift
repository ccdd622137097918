import Foundation

extension JournalWriter {
  /// Why the file cannot be asked for anything at the moment.
  var unavailable: PersistenceError.Reason { isSuspended ? .suspended : .closed }

  /// Writes what waits, and lets go of the file and its lock until ``resume()``.
  ///
  /// They are let go even when something could not be written; the error says why it was not.
  func suspend() throws(PersistenceError) {
    if isSuspended { return }
    guard let line, lock != nil else {
      throw PersistenceError(.suspending, path: path.file, .closed)
    }
    giveUpBackups()
    var failure: PersistenceError?
    do {
      if session == nil { try recover(line) }
      while try writeGroup(line) {}
      if let session {
        try session.close()
        noteSynced(session, line)
      }
    } catch {
      failure = PersistenceError(.suspending, path: path.file, wrapping: error)
    }
    letGo(line)
    let now = configuration.now()
    board.note { notes in
      notes.condition = .suspended(since: now)
      if let failure { notes.fail("\(failure)", at: now) }
    }
    if let failure { throw failure }
  }

  /// Takes the lock and the file again, sees that it is as it was left, and writes what was committed
  /// meanwhile.
  ///
  /// When that fails all is as before.
  func resume() throws(PersistenceError) {
    guard isSuspended, let line else {
      if lock == nil { throw PersistenceError(.resuming, path: path.file, .closed) }
      return
    }
    do {
      guard try path.occupant(.resuming) != .nothing else {
        throw PersistenceError(.resuming, path: path.file, .missing)
      }
      let owner = LockFile.Owner.current(started: configuration.now())
      lock = HeldLock(
        try StoreGate.enter(
          path,
          as: owner,
          knownFormat: StoreFormat.known,
          on: configuration.disk
        )
      )
      try recover(line)
      isSuspended = false
    } catch {
      letGo(line)
      let error = PersistenceError(.resuming, path: path.file, wrapping: error)
      let now = configuration.now()
      board.note { notes in
        notes.condition = .suspended(since: now)
        notes.fail("\(error)", at: now)
      }
      throw error
    }
  }

  private func letGo(_ line: WriteLine) {
    dropSession()
    lock = nil
    isSuspended = true
    line.suspend()
  }

  /// Forgets what is open of the file, but not where it stood.
  func dropSession() {
    standing = session?.position ?? standing
    session = nil
    upkeep.interrupt()
  }

  /// Refuses a file that is not the one that was left, or where someone else went on.
  func checkStanding(of restored: RestoredFile, _ line: WriteLine) throws {
    guard let standing else { return }
    let found = restored.position
    let isSame = found.storeID == standing.storeID && found.epoch == standing.epoch
    let isOurs =
      if found.revision == standing.revision {
        found.chain == standing.chain
      } else {
        try found.revision > standing.revision && found.revision <= line.lastRevision
          && restored.wasLastWritten(by: originID)
      }
    guard isSame, isOurs else { throw FileMovedOn(from: standing, to: found) }
  }
}

/// A file is not where its writer left it.
struct FileMovedOn: Error {
  let from: Position
  let to: Position
}
