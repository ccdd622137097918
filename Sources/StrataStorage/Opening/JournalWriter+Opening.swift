import Foundation
import StrataBase
package import StrataJournal

extension JournalWriter {
  /// Opens the file for writing, or creates it.
  ///
  /// Where the configuration says so, opens it for reading only.
  ///
  /// - Parameters:
  ///   - fill: adds the tables of a new store to its first snapshot.
  ///   - read: receives the entities of the file. It is called again if a snapshot turns out damaged.
  ///   - additions: returns what the file lacks; called after everything was read and before anything is
  ///     written.
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
      let foreign = try quarantineForeignCompanions()
      try NewFile.removeAbandoned(besides: path, .ofSameStore)
      let isNew = try path.fileStatus(.opening) == .missing
      if isNew {
        try InitialSnapshot.createStore(at: path, now: now, configuration, preparation, fill)
      }
      var (file, contents, loss, migrated) = try restore(isNew: isNew, read)
      if let foreign { file.notes.append("\(foreign.reason); moved to \(foreign.directory)") }
      let added = try additions(contents, file.tables, isNew)
      let session = try makeSession(&file, now: now)
      try preparation?.noteOpening(in: session)
      try session.appendNewTables(added, time: max(now, file.lastTime))
      maintenance.start(with: file)
      start(session, lock)
      startQueue(after: session.written.revision, time: max(now, file.lastTime))
      noteSizes()
      planMaintenance()
      return OpenedStore(file, contents, isNew: isNew, loss: loss, migrated: migrated)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Opens a file for a caller that makes no commits and knows no migrations: no build is noted in it.
  ///
  /// Throws `.missing`, and what opening throws.
  package func openForSending() throws(PersistenceError) {
    let now = configuration.now().microseconds
    let lock = try acquireLock()
    do {
      try Quarantine.complete(path, now: configuration.now(), on: configuration.disk)
      guard try path.fileStatus(.archiving) != .missing else {
        throw PersistenceError.Reason.missing
      }
      try path.checkCompanions(.archiving)
      try NewFile.removeAbandoned(besides: path, .ofSameStore)
      var (file, _) = try restoreWhole(isNew: false) { _, _ in }
      let session = try makeSession(&file, now: now)
      maintenance.start(with: file)
      start(session, lock)
      startQueue(after: session.written.revision, time: max(now, file.lastTime))
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
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

  /// Moves files that are not the store's own out of the way under `.bestEffort`; otherwise throws if there
  /// are any.
  private func quarantineForeignCompanions() throws -> Quarantine? {
    guard configuration.restore == .bestEffort else {
      try path.checkCompanions(.opening)
      return nil
    }
    return try Quarantine.addForeignCompanions(
      of: path,
      now: configuration.now(),
      on: configuration.disk
    )
  }

  /// Restores for writing.
  ///
  /// Under `.bestEffort` a damaged file is restored from what can be verified of it.
  private func restore<Contents>(
    isNew: Bool,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (
    file: RestoredFile, contents: Contents, loss: RestoreLoss?, migrated: MigrationReport?
  ) {
    let failure: PersistenceError
    do {
      let migrated = isNew ? nil : try preparation?.prepare(path, configuration)
      let (file, contents) = try restoreWhole(isNew: isNew, read)
      return (file, contents, nil, migrated)
    } catch {
      failure = PersistenceError(.opening, path: path.file, wrapping: error)
    }
    guard configuration.restore == .bestEffort, case .damaged(let damage) = failure.reason else {
      throw failure
    }
    let salvage = Salvage(
      path,
      now: configuration.now(),
      application: configuration.application,
      on: configuration.disk
    )
    guard let loss = try salvage.run(because: damage) else {
      throw PersistenceError(
        .opening,
        path: path.file,
        .damaged("\(damage); RestorePolicy.bestEffort found nothing that it can restore")
      )
    }
    let migrated = try preparation?.prepare(path, configuration)
    let (file, contents) = try restoreWhole(isNew: isNew, read)
    return (file, contents, loss, migrated)
  }

  private func restoreWhole<Contents>(
    isNew: Bool,
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    var (file, contents) = try RestoredFile.openForWriting(
      path,
      application: configuration.application,
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

  /// Restores a value and holds nothing of the file.
  ///
  /// Nothing is written, and commits are refused.
  ///
  /// A writer at work may trim what is being read; then it is read again.
  private func openForReading<Contents: Sendable>(
    _ read: (inout MergeIterator, ReadView) throws -> Contents,
    _ additions: (Contents, Set<String>, Bool) throws -> OpeningAdditions
  ) throws(PersistenceError) -> OpenedStore<Contents> {
    do {
      if try Quarantine.hasInterruptedMove(path) {
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
    if let preparation {
      try RestoredFile.check(access.connection, path, .opening)
      try preparation.check(access.connection)
    }
    var (file, contents) = try RestoredFile.openForReading(
      access,
      at: path,
      application: configuration.application,
      configuration.progress,
      read
    )
    // A writer at work is ahead of what was read, and checked the head when it opened the file.
    if access.mode != .live {
      let note = try HeadCheck.compare(
        try HeadFile.read(path.head, on: configuration.disk),
        recovered: file.position,
        bootID: configuration.bootID
      ).noteOrError()
      if let note { file.notes.append(note) }
    }
    // Nothing is added, but what was read is checked as it is for writing.
    _ = try additions(contents, file.tables, false)
    startReading()
    queue.start(after: file.revision, time: file.lastTime) { _ in }
    queue.refuseCommits(.readOnly)
    return OpenedStore(file, contents, isNew: false, loss: nil, migrated: nil)
  }
}
