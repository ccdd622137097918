import Foundation
import StrataBase
import StrataNormalization

extension JournalWriter {
  /// What opening gives.
  struct Opened<Database: DatabaseType> {
    let found: Found<Database>
    let line: WriteLine
  }

  /// Opens the file, or creates it, and restores the database it holds.
  func open<Database: DatabaseType>(
    initial: Database
  ) throws(PersistenceError) -> Opened<Database> {
    if configuration.restore == .readOnly { return try read(initial) }
    let now = configuration.now().microseconds
    let owner = LockFile.Owner.current(started: configuration.now())
    let lock = HeldLock(
      try StoreGate.enter(
        path,
        as: owner,
        knownFormat: StoreFormat.known,
        on: configuration.disk
      )
    )
    do {
      try SetAside.complete(path, now: configuration.now(), on: configuration.disk)
      let isNew = try path.occupant(.opening) == .nothing
      if isNew { try initial.checkUniqueness() }
      if isNew {
        try StoreCreation(path: path, now: now, disk: configuration.disk).create(initial, keeping)
      }
      let (restored, stored) = try restore(initial, isNew ? .fresh : .restored, now: now)
      var found = stored
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
      try session.introduce(found, keeping, time: max(now, restored.lastTime))
      found.noteUntreated()
      upkeep.begin(with: restored)
      self.session = session
      self.lock = lock
      let line = makeLine(after: session.written.revision, time: max(now, restored.lastTime))
      self.line = line
      noteSizes()
      planUpkeep()
      return Opened(found: found, line: line)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  func makeLine(after revision: Revision, time: Int64) -> WriteLine {
    let queue = WriteQueue(
      after: revision,
      time: time,
      capacity: configuration.queueCapacity,
      callsAtOnceFrom: configuration.durability.maxCommits
    )
    let delay = configuration.durability.delay
    let clock = configuration.now
    return WriteLine(queue, now: { clock().microseconds }) { [executor, weak self] wake in
      executor.schedule(after: wake == .now ? .zero : delay) { [weak self] in
        self?.assumeIsolated { writer in
          if wake == .afterDelay { writer.line?.putOffCallCame() }
          writer.drain()
        }
      }
    }
  }

  /// Writes what waits, folds SQLite's WAL into the file and lets go of it.
  ///
  /// The caller has made sure that no commit adds anything any more.
  /// The file is let go even when that fails; the error says why it did.
  func close() throws(PersistenceError) {
    if configuration.restore == .readOnly { events.finish() }
    guard let line, lock != nil || isSuspended else { return }
    giveUpBackups()
    defer {
      session = nil
      lock = nil
      isSuspended = false
      board.note { $0.condition = .closed }
      events.finish()
    }
    do {
      if isSuspended, line.current.written < line.lastRevision { try resume() }
      if !isSuspended {
        if session == nil { try recover(line) }
        while try writeGroup(line) {}
        try session?.close()
        if let session { noteSynced(session, line) }
      }
    } catch {
      throw PersistenceError(.closing, path: path.file, wrapping: error)
    }
    guard unpersisted.isEmpty else {
      throw PersistenceError(.closing, path: path.file, .notPersisted(unpersisted.entities))
    }
  }
}
