import Foundation
import StrataBase
package import StrataJournal
import StrataSchema

extension JournalWriter {
  /// Opens the file for writing, or creates it.
  ///
  /// Where the configuration says so, opens it for reading only.
  ///
  /// - Parameters:
  ///   - restoresParts: whether a damaged file may be restored without some of its entities.
  ///   - fill: adds the tables of a new store to its first snapshot.
  ///   - read: receives the entities of the file. It is called again if a snapshot turns out damaged. Of a file that is
  ///     migrated, it receives the result before that takes effect.
  ///   - additions: returns what the file lacks, or throws what is wrong with its contents; called after everything was
  ///     read and before anything is written.
  package func open<Contents: Sendable>(
    restoresParts: Bool = true,
    creating fill: (inout InitialSnapshot) throws -> Void,
    reading read: (any EntitySource, ReadView) throws -> Contents,
    adding additions: (Contents, _ known: Set<String>, _ isNew: Bool) throws -> OpeningAdditions
  ) throws(PersistenceError) -> OpenedStore<Contents> {
    if configuration.restore == .readOnly { return try openForReading(read, additions) }
    do {
      var store = try OwnedStore(
        path,
        for: .opening,
        configuration,
        .either,
        foreign: configuration.restore == .bestEffort ? .setAside : .refuse
      )
      return try store.leavingNoTrace { store in
        if try path.fileStatus(.opening) == .missing { try store.createFile(preparation, fill) }
        var (file, contents, loss, prepared) = try restore(store, restoresParts, read, additions)
        let added = try additions(contents, file.tables, store.isNew)
        let session = try store.makeSession(&file, as: originID)
        try session.note(added.references)
        let time = max(configuration.now().microseconds, file.lastTime)
        try session.appendNewTables(added, time: time)
        try session.note(rules: added.rules)
        start(session, store, with: file, time: time)
        noteSizes()
        planMaintenance()
        return OpenedStore(file, contents, isNew: store.isNew, loss: loss, prepared: prepared)
      }
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Opens a file for a caller that makes no commits and knows no migrations.
  ///
  /// Throws `.missing`, and what opening throws.
  package func openForSending() throws(PersistenceError) {
    do {
      var store = try OwnedStore(path, for: .archiving, configuration)
      try store.leavingNoTrace { store in
        var file = try store.restore()
        let session = try store.makeSession(&file, as: originID)
        let time = max(configuration.now().microseconds, file.lastTime)
        start(session, store, with: file, time: time)
      }
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  private func start(
    _ session: WriterSession,
    _ store: OwnedStore,
    with file: RestoredFile,
    time: Int64
  ) {
    maintenance.start(with: file)
    start(session, store)
    noteTimes(session, last: time)
    startQueue(after: session.written.revision, time: time)
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

  /// Restores for writing.
  ///
  /// Under `.bestEffort` a damaged file is restored from what can be verified of it.
  private func restore<Contents>(
    _ store: OwnedStore,
    _ restoresParts: Bool,
    _ read: (any EntitySource, ReadView) throws -> Contents,
    _ additions: (Contents, _ known: Set<String>, _ isNew: Bool) throws -> OpeningAdditions
  ) throws -> (
    file: RestoredFile, contents: Contents, loss: RestoreLoss?, prepared: PreparedFile?
  ) {
    let failure: PersistenceError
    do {
      let (file, contents, prepared) = try prepare(store, read, additions)
      return (file, contents, nil, prepared)
    } catch {
      failure = PersistenceError(.opening, path: path.file, wrapping: error)
    }
    guard configuration.restore == .bestEffort, let damage = failure.reason.damage else {
      throw failure
    }
    let salvage = Salvage(
      path,
      now: configuration.now(),
      application: configuration.application,
      mayMigrate: preparation?.isNeeded ?? false,
      restoresParts: restoresParts,
      on: configuration.disk
    )
    guard let loss = try salvage.run(because: damage) else {
      throw PersistenceError(
        .opening,
        path: path.file,
        .damaged(
          """
          \(damage); RestorePolicy.bestEffort found nothing that it can restore\
          \(restoresParts ? "" : " whole, and the archive may have the rest: open it once that can be reached")
          """
        )
      )
    }
    let (file, contents, prepared) = try prepare(store, read, additions)
    return (file, contents, loss, prepared)
  }

  /// Prepares a file and restores it.
  ///
  /// If it was changed, the opening returns what was read of the result; the file is then verified without being decoded
  /// again.
  private func prepare<Contents>(
    _ store: OwnedStore,
    _ read: (any EntitySource, ReadView) throws -> Contents,
    _ additions: (Contents, _ known: Set<String>, _ isNew: Bool) throws -> OpeningAdditions
  ) throws -> (file: RestoredFile, contents: Contents, prepared: PreparedFile?) {
    func readKnown(_ source: any EntitySource, _ view: ReadView) throws -> Contents {
      try checkIsNotOlder(view)
      return try read(source, view)
    }
    var result: Contents?
    let prepared =
      store.isNew
      ? nil
      : try preparation?.prepare(store) { source, view in
        let contents = try readKnown(source, view)
        _ = try additions(contents, view.tables, false)
        result = contents
      }
    guard let result, let prepared else {
      let (file, contents) = try store.restore { merge, view in
        try merge.withSource { try readKnown($0, view) }
      }
      return (file, contents, prepared)
    }
    let file = try store.restore()
    guard file.revision == prepared.end else {
      throw CorruptionError(
        "it ends at revision \(file.revision), and its migrations at \(prepared.end)"
      )
    }
    return (file, result, prepared)
  }

  /// Refuses to write to a file on which migrations ran that this opening does not know.
  private func checkIsNotOlder(_ view: ReadView) throws {
    let known = preparation?.known ?? .through(0)
    if let older = try view.olderBuild(knowing: known, at: path, on: configuration.disk) {
      throw older
    }
  }

  /// Restores a value and holds nothing of the file.
  ///
  /// Nothing is written, and commits are refused.
  ///
  /// A writer at work may trim what is being read; then it is read again.
  private func openForReading<Contents: Sendable>(
    _ read: (any EntitySource, ReadView) throws -> Contents,
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
        let access = try ReadAccess(path, for: .opening, on: configuration.disk)
        do {
          return try openForReading(access, read, additions)
        } catch let error as CorruptionError {
          guard access.hadWriter, attempts > 0 else { throw error }
        }
      }
    } catch {
      let error = PersistenceError(.opening, path: path.file, wrapping: error)
      throw PersistenceError(.opening, path: path.file, error.reason)
    }
  }

  private func openForReading<Contents: Sendable>(
    _ access: ReadAccess,
    _ read: (any EntitySource, ReadView) throws -> Contents,
    _ additions: (Contents, Set<String>, Bool) throws -> OpeningAdditions
  ) throws -> OpenedStore<Contents> {
    try preparation?.check(access.connection)
    var (file, contents) = try RestoredFile.read(
      access.connection,
      application: configuration.application,
      configuration.progress
    ) { merge, view in try merge.withSource { try read($0, view) } }
    let check = access.checkHead(
      of: file.position,
      file.identity.lineages,
      bootID: configuration.bootID
    )
    if let note = try check?.noteOrError() { file.notes.append(note) }
    // Nothing is added, but what was read is checked as it is for writing.
    _ = try additions(contents, file.tables, false)
    startReading()
    queue.start(after: file.revision, time: file.lastTime) { _ in }
    queue.refuseCommits(.readOnly)
    return OpenedStore(file, contents, isNew: false, loss: nil, prepared: nil)
  }
}
