import Foundation
import StrataBase
import StrataMigrations

/// What opening a file gives: its contents, and what was found out about it.
package struct OpenedStore<Contents: Sendable>: Sendable {
  package let contents: Contents
  package let position: Position
  package let snapshot: Revision
  package let replayedDeltas: Int
  /// Whether the file was created by this opening.
  package let isNew: Bool
  /// What was noticed and is no error.
  package let notes: [String]
  /// What could not be restored of a damaged file.
  package let loss: RestoreLoss?
}

extension JournalWriter {
  /// Opens the file for writing, or creates it; or opens it only to be read, where the configuration says
  /// so.
  ///
  /// - Parameters:
  ///   - fill: adds the tables of a new store to its first snapshot.
  ///   - read: receives the entities of the file. It is called again where a snapshot turns out damaged.
  ///   - additions: what the file lacks, once everything was read and nothing was written.
  package func open<Contents: Sendable>(
    creating fill: (inout InitialSnapshot) throws -> Void,
    reading read: (inout MergeIterator, ReadView) throws -> Contents,
    adding additions: (Contents, _ known: Set<String>, _ isNew: Bool) throws -> OpeningAdditions
  ) throws(PersistenceError) -> OpenedStore<Contents> {
    if configuration.restore == .readOnly { return try openForReading(read, additions) }
    let now = configuration.now().microseconds
    let lock = try acquireLock()
    do {
      try Quarantine.complete(path, now: configuration.now(), on: configuration.disk)
      let isNew = try path.fileStatus(.opening) == .missing
      if isNew {
        try InitialSnapshot.createStore(at: path, now: now, on: configuration.disk, fill)
      }
      let (file, contents, loss) = try restore(now: now, isNew: isNew, read)
      let added = try additions(contents, file.tables, isNew)
      let session = try makeSession(file, now: now)
      try session.appendNewTables(added, time: max(now, file.lastTime))
      maintenance.begin(with: file)
      state = .writing(session, lock)
      startQueue(after: session.written.revision, time: max(now, file.lastTime))
      noteSizes()
      planMaintenance()
      return OpenedStore(file, contents, isNew: isNew, loss: loss)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  func acquireLock() throws(PersistenceError) -> LockHandle {
    LockHandle(
      try WriterLock.acquire(
        path,
        as: LockFile.Owner.current(started: configuration.now()),
        knownFormat: StoreFormat.known,
        on: configuration.disk
      )
    )
  }

  func makeSession(_ file: RestoredFile, now: Int64) throws -> WriterSession {
    try WriterSession(
      file,
      path: path,
      on: configuration.disk,
      originID: originID,
      bootID: configuration.bootID,
      time: now,
      traces: configuration.commitTraces
    )
  }

  private func startQueue(after revision: Revision, time: Int64) {
    let delay = configuration.durability.delay
    queue.start(after: revision, time: time) { [executor, weak self] wake in
      executor.schedule(after: wake == .now ? .zero : delay) { [weak self] in
        self?.assumeIsolated { writer in
          if wake == .afterDelay { writer.queue.delayedWakeDidArrive() }
          writer.drain()
        }
      }
    }
  }

  /// Restores for writing; under `.bestEffort` from what can be verified, where not all can.
  private func restore<Contents>(
    now: Int64,
    isNew: Bool,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents, loss: RestoreLoss?) {
    let failure: PersistenceError
    do {
      let (file, contents) = try restoreWhole(now: now, isNew: isNew, read)
      return (file, contents, nil)
    } catch {
      failure = PersistenceError(.opening, path: path.file, wrapping: error)
    }
    guard configuration.restore == .bestEffort, case .damaged(let damage) = failure.reason,
      let loss = try Salvage(path, now: configuration.now(), on: configuration.disk)
        .run(because: damage)
    else { throw failure }
    let (file, contents) = try restoreWhole(now: now, isNew: isNew, read)
    return (file, contents, loss)
  }

  private func restoreWhole<Contents>(
    now: Int64,
    isNew: Bool,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    var (file, contents) = try RestoredFile.openForWriting(
      path,
      now: now,
      vfs: configuration.vfs,
      configuration.progress,
      read
    )
    let note = try HeadCheck.compare(
      try HeadFile.read(path.head, on: configuration.disk),
      recovered: file.position,
      bootID: configuration.bootID
    ).noteOrError()
    if let note, !isNew { file.notes.append(note) }
    return (file, contents)
  }

  /// Restores a value and holds nothing of the file; nothing is written, and commits are refused.
  ///
  /// While a writer is at work, what is read may be trimmed under the reading: then it is read again.
  private func openForReading<Contents: Sendable>(
    _ read: (inout MergeIterator, ReadView) throws -> Contents,
    _ additions: (Contents, Set<String>, Bool) throws -> OpeningAdditions
  ) throws(PersistenceError) -> OpenedStore<Contents> {
    do {
      if try Quarantine.isCutOff(path) {
        throw PersistenceError(
          .opening,
          path: path.file,
          .busy("moving its files was interrupted by a crash; open it once for writing")
        )
      }
      var attempts = 5
      while true {
        attempts -= 1
        let access = try ReadAccess(path, on: configuration.disk)
        do {
          return try openForReading(access, read, additions)
        } catch let error as CorruptionError {
          guard access.mode == .live, attempts > 0 else { throw error }
        }
      }
    } catch {
      let error = PersistenceError(.opening, path: path.file, wrapping: error)
      throw PersistenceError(.opening, path: path.file, error.reason)
    }
  }

  private func openForReading<Contents: Sendable>(
    _ access: ReadAccess,
    _ read: (inout MergeIterator, ReadView) throws -> Contents,
    _ additions: (Contents, Set<String>, Bool) throws -> OpeningAdditions
  ) throws -> OpenedStore<Contents> {
    var (file, contents) = try RestoredFile.openForReading(
      access,
      at: path,
      configuration.progress,
      read
    )
    // A writer at work is ahead of what was read; it has checked the head when it opened.
    if access.mode != .live {
      let note = try HeadCheck.compare(
        try HeadFile.read(path.head, on: configuration.disk),
        recovered: file.position,
        bootID: configuration.bootID
      ).noteOrError()
      if let note { file.notes.append(note) }
    }
    // Nothing is added, but what was read is checked as for writing.
    _ = try additions(contents, file.tables, false)
    state = .reading
    queue.start(after: file.revision, time: file.lastTime) { _ in }
    queue.refuseCommits()
    return OpenedStore(file, contents, isNew: false, loss: nil)
  }
}

extension OpenedStore {
  fileprivate init(
    _ file: RestoredFile,
    _ contents: Contents,
    isNew: Bool,
    loss: RestoreLoss?
  ) {
    self.contents = contents
    position = file.position
    snapshot = file.snapshot.revision
    replayedDeltas = file.replayedDeltas
    self.isNew = isNew
    notes = file.notes
    self.loss = loss
  }
}
