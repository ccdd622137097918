public import Foundation
import StrataBase
package import StrataInspection
public import StrataJournal
import StrataSQLite
import StrataSchema
public import StrataStorage

/// Makes and restores backups of a store.
public enum StoreBackup {
  /// Copies a store into a new file, on the calling thread, and returns the position of the copy.
  ///
  /// A program may have the store open, and goes on meanwhile: the copy holds what is in the file when the copy begins.
  /// What the program has not flushed is not in it; `backup(to:)` of its persistence includes that. The copy is in the same
  /// lineage, verified before it gets its name, and one file without companions. O(file), several times over.
  ///
  /// - Throws: `.fileExists`; `.damaged` and other reasons of either file.
  package static func copyBlocking(
    _ store: String,
    to path: String
  ) throws(PersistenceError) -> Position {
    let store = try StorePath(store, for: .backingUp)
    let path = try StorePath(path, for: .backingUp)
    let file = try NewFile(at: path, from: store, for: .backingUp, on: .system)
    do {
      let source = try ReadAccess(store, for: .backingUp, on: file.disk)
      try file.create()
      let connection = try file.connect()
      try source.connection.copy(to: connection, for: .backingUp, from: store)
      let position = try ReadView(connection).position
      try connection.close()
      try file.verify()
      try file.giveName()
      return position
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.backingUp, path: file.path.file, wrapping: error)
    }
  }

  /// Copies a backup to where a store was, in a new lineage; returns the position of the copy.
  ///
  /// ```swift
  /// try await StoreBackup.restore("backups/app-2026-11-21.strata", to: "app.strata")
  /// let persistence = try await Persistence.open(at: "app.strata", …)
  /// ```
  ///
  /// Commits made after the backup are no longer part of the history. The lineage shows this to everything
  /// that follows the store: it begins at the end of the backup. (A backup that is only copied into place is refused as `.damaged`, because the head beside it lists commits that it
  /// lacks.)
  ///
  /// Nothing is overwritten: ``restore(_:replacing:now:)`` moves the old store to quarantine. If you move it
  /// away yourself, with its `-wal` and `-shm`, leave its `.head`, which states how far it was. The backup is
  /// not changed. O(file), several times over, because the copy is verified before it gets its name.
  ///
  /// Throws `PersistenceError`: `.refused` if there is a file; `.locked` for a backup that is being written to, or a
  /// path that another writer has open; `.damaged` and other kinds for either file.
  @discardableResult
  public static func restore(
    _ backup: String,
    to path: String
  ) async throws(PersistenceError) -> Position {
    try await restore(backup, to: path, on: .system)
  }

  package static func restore(
    _ backup: String,
    to path: String,
    on disk: Disk
  ) async throws(PersistenceError) -> Position {
    let backup = try StorePath(backup, for: .restoringBackup)
    let path = try StorePath(path, for: .restoringBackup)
    let file = try NewFile(at: path, from: backup, for: .restoringBackup, on: disk)
    do {
      return try await FileWorker(label: "strata.backup").run {
        try BackupRestore(backup: backup, file: file, operation: .restoringBackup).run()
      }
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.restoringBackup, path: file.path.file, wrapping: error)
    }
  }

  /// Puts a backup in the place of a store, in a new lineage; what was there is moved to quarantine.
  ///
  /// ```swift
  /// let restored = try await StoreBackup.restore("app.strata.before-41", replacing: "app.strata")
  /// try restored.replaced?.restore()          // takes it back
  /// ```
  ///
  /// The file has a lineage that begins at the end of the backup. An archive of the store has the later commits, so opening the file with it
  /// is refused with `ArchiveError.Reason.takenBack`: `strata push STORE --to ARCHIVE --replace` makes the backup the
  /// history of the archive, and keeps what that has beside the store.
  ///
  /// Like ``restore(_:to:)``, but there may be a store at the path, even a damaged one. Nothing is deleted:
  /// its files are in ``RestoredBackup/replaced``, together. A crash leaves the old store or the backup; the
  /// next opening completes an interrupted move. The backup is not changed. O(backup), several times over.
  ///
  /// A backup from before an erasure brings back what was erased: see ``RestoredBackup/missingErasures``.
  ///
  /// Throws `PersistenceError`: `.locked` for a store or a backup that a program has open; `.notAStore` for a file that
  /// is not a store; `.refused` if both paths are the same file; and what reading the backup throws.
  @discardableResult
  public static func restore(
    _ backup: String,
    replacing path: String,
    now: Date = Date()
  ) async throws(PersistenceError) -> RestoredBackup {
    try await restore(backup, replacing: path, now: now, on: .system)
  }

  package static func restore(
    _ backup: String,
    replacing path: String,
    now: Date,
    on disk: Disk
  ) async throws(PersistenceError) -> RestoredBackup {
    let (source, store) = (
      try StorePath(backup, for: .restoringBackup), try StorePath(path, for: .restoringBackup)
    )
    guard try store.fileStatus(.restoringBackup) != .missing else {
      return RestoredBackup(
        position: try await restore(backup, to: path, on: disk),
        replaced: nil,
        missingErasures: 0
      )
    }
    let file = NewFile(underLockOf: store, for: .restoringBackup, on: disk)
    do {
      return try await FileWorker(label: "strata.backup").run {
        try BackupRestore(backup: source, file: file, operation: .restoringBackup).replace(now: now)
      }
    } catch {
      throw PersistenceError(.restoringBackup, path: store.file, wrapping: error)
    }
  }

  /// How many entities were erased from a store that a backup of it may have, as ``RestoredBackup/missingErasures`` says.
  ///
  /// O(erasures). Throws reasons of the backup.
  package static func missingErasures(
    of backup: String,
    replacing path: String,
    on disk: Disk = .system
  ) throws(PersistenceError) -> Int? {
    let kept = try Inspector(path: backup, on: disk).query(ErasedFromStore.init)
    let erased: ErasedFromStore
    do throws(PersistenceError) {
      erased = try Inspector(path: path, on: disk).query(ErasedFromStore.init)
    } catch {
      // A damaged store is replaced too.
      return error.reason == .missing ? 0 : nil
    }
    if kept.store != erased.store { return 0 }
    return ErasureLedger.count(of: erased.entries, notIn: kept.entries)
  }

  /// What a file says about erasures.
  private struct ErasedFromStore: Sendable {
    let store: UUID
    let entries: [ErasureLedger.Entry]

    init(_ view: ReadView) throws {
      store = view.identity.id
      entries = try ErasureLedger.entries(on: view.journal.connection)
    }
  }

  /// Copies a store as it was at a point of its history, with the history up to there; returns the position
  /// of the copy.
  ///
  /// ```swift
  /// try await StoreBackup.fork("app.strata", at: .revision(41), to: "before.strata")
  /// ```
  ///
  /// A test can start from a store that a user sent: the copy opens as the store would have opened then, and
  /// gets commits of its own. It is in a new lineage. Migrations of the user's data that ran later did not run
  /// in the copy; those that had run at the point did, also if they were taken back since. Nothing is
  /// overwritten, and the store is not changed. O(file), several times over, because the copy is verified
  /// before it gets its name.
  ///
  /// Throws `PersistenceError`: `.refused` if there is a file; `.locked` for a store that a writer has open; what
  /// reading a point of history throws, such as `.notThere`; `.undecodable` where it is
  /// not known which migrations had run; `.damaged` and other kinds for either file.
  @discardableResult
  public static func fork(
    _ store: String,
    at point: HistoryPoint,
    to path: String
  ) async throws(PersistenceError) -> Position {
    try await fork(store, at: point, to: path, on: .system)
  }

  package static func fork(
    _ store: String,
    at point: HistoryPoint,
    to path: String,
    on disk: Disk
  ) async throws(PersistenceError) -> Position {
    let (store, path) = (try StorePath(store, for: .forking), try StorePath(path, for: .forking))
    let file = try NewFile(at: path, from: store, for: .forking, on: disk)
    do {
      return try await FileWorker(label: "strata.backup").run {
        try fork(store, at: .point(point), to: file)
      }
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.forking, path: file.path.file, wrapping: error)
    }
  }

  /// The same for a point as people write it, on the calling thread.
  package static func forkBlocking(
    _ store: String,
    at expression: RevisionExpression,
    to path: String
  ) throws(PersistenceError) -> Position {
    let (store, path) = (try StorePath(store, for: .forking), try StorePath(path, for: .forking))
    let file = try NewFile(at: path, from: store, for: .forking, on: .system)
    do {
      return try fork(store, at: expression, to: file)
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.forking, path: file.path.file, wrapping: error)
    }
  }

  private static func fork(
    _ store: StorePath,
    at expression: RevisionExpression,
    to file: NewFile
  ) throws -> Position {
    try BackupRestore(backup: store, file: file, operation: .forking, end: expression).run()
  }
}

/// What ``StoreBackup/restore(_:replacing:now:)`` has put in the place of a store.
public struct RestoredBackup: Sendable, Equatable {
  /// The position of the store now.
  public let position: Position
  /// The files that were there; nil if there was no store.
  public let replaced: Quarantine?
  /// How many entities were erased from the store that was there, and not from the backup: it may have brought them back.
  ///
  /// Erase them again. Nil if that store could not be read.
  public let missingErasures: Int?
}

/// The restore of one backup, or the copy of a store up to a point of its history.
private struct BackupRestore {
  let backup: StorePath
  let file: NewFile
  let operation: PersistenceError.Operation
  /// The last point that the copy has; nil for all.
  var end: RevisionExpression?

  func run() throws -> Position {
    let source = try openSource()
    return try OwnedStore.hold(
      file.path,
      for: operation,
      PersistenceConfiguration(on: file.disk),
      .nothing
    ) { _ in try make(from: source) }
  }

  /// Makes the copy and gives it the name of the store that is there, whose files are moved to quarantine.
  func replace(now: Date) throws -> RestoredBackup {
    let (path, disk) = (file.path, file.disk)
    guard FileIdentity(ofFileAt: backup.file) != FileIdentity(ofFileAt: path.file) else {
      throw PersistenceError(operation, path: path.file, .fileExists(backup.file))
    }
    let source = try openSource()
    let missing = try StoreBackup.missingErasures(of: backup.file, replacing: path.file, on: disk)
    // Even if the header of the store is damaged: such a store is replaced too.
    let lock = try WriterLock.take(path, as: .current(started: now), for: operation, on: disk)
    defer { withExtendedLifetime(lock) {} }
    try Quarantine.complete(path, now: now, on: disk)
    let header = StoreHeader(try disk.open(path.file, O_RDONLY).read(100, at: 0))
    if let id = header?.applicationID, id != StoreHeader.applicationID {
      throw PersistenceError(operation, path: path.file, .foreign(applicationID: id))
    }
    file.removeLeftovers()
    let position: Position
    do {
      try file.create()
      position = try copy(source.connection)
      try file.verify()
      try disk.sync(file.temporary)
      file.removeCompanions()
    } catch {
      file.removeLeftovers()
      throw error
    }
    var move = try QuarantineMove(
      of: path,
      reason: "replaced by the backup \(backup.file)",
      replacement: QuarantineMove.name(file.temporary),
      cause: .setAside,
      now: now,
      on: disk
    )
    try move.run()
    file.removeLeftovers()
    try HeadFile.write(position, for: path, on: disk)
    return RestoredBackup(
      position: position,
      replaced: move.quarantine,
      missingErasures: missing
    )
  }

  private func openSource() throws -> ReadAccess {
    let source = try ReadAccess(backup, for: operation, on: file.disk)
    if source.mode == .live {
      throw PersistenceError(
        operation,
        path: backup.file,
        .alreadyOpen(by: LockFile.owner(at: backup.lock))
      )
    }
    return source
  }

  private func make(from source: ReadAccess) throws -> Position {
    try file.create()
    let position =
      if let end { try cut(source.connection, at: end) } else { try copy(source.connection) }
    try file.verify()
    // The name comes last: a head without a store is harmless, a store without its head is not.
    try HeadFile.write(position, for: file.path, on: file.disk)
    try file.giveName()
    return position
  }

  private func copy(_ source: Connection) throws -> Position {
    let connection = try file.connect()
    try fill(connection, from: source)
    try branch(.restored, in: connection)
    return try close(connection)
  }

  /// Copies the store by way of a file beside it, which is cut and then written again, so that nothing of
  /// what was cut is left in free pages or in parts of pages.
  private func cut(_ source: Connection, at end: RevisionExpression) throws -> Position {
    let path = try StorePath("\(file.path.file).cut", for: operation)
    let whole = try NewFile(at: path, from: backup, for: operation, on: file.disk)
    defer { whole.removeLeftovers() }
    try whole.create()
    let connection = try whole.connect()
    try fill(connection, from: source)
    let revision = try place(of: end, in: connection)
    try connection.transaction {
      try HistoryCut.removeAll(after: revision, from: connection)
    }
    try branch(.forked, in: connection)
    try connection.vacuum(into: file.temporary)
    try connection.close()
    let copy = try file.connect()
    try copy.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    return try close(copy)
  }

  /// The revision to cut at.
  ///
  /// An error is about the file that was copied, whose pages these are.
  private func place(
    of end: RevisionExpression,
    in connection: Connection
  ) throws(PersistenceError) -> Revision {
    do {
      let view = try ReadView(connection)
      let revision = try view.revision(of: end)
      try view.checkIsKept(revision)
      return revision
    } catch {
      throw PersistenceError(operation, path: backup.file, wrapping: error)
    }
  }

  /// Copies every page of a store.
  private func fill(_ connection: Connection, from source: Connection) throws {
    try source.copy(to: connection, for: operation, from: backup)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    do {
      _ = try StoreIdentity.read(connection)
    } catch {
      throw PersistenceError(operation, path: backup.file, wrapping: error)
    }
  }

  /// Starts another lineage where the copy ends.
  private func branch(_ reason: Lineage.Reason, in connection: Connection) throws {
    let view = try ReadView(connection)
    var identity = view.identity
    let end = HeadRecord.Mark(revision: view.last.revision, chain: view.last.chain)
    identity.branch(reason, after: end, at: Scheduling.date)
    try connection.transaction {
      try identity.replace(in: connection)
      try LeadershipRecord.noteTakenBack(to: end, in: connection)
    }
  }

  private func close(_ connection: Connection) throws -> Position {
    let position = try ReadView(connection).position
    try connection.checkpoint(.truncate)
    try connection.close()
    return position
  }
}

extension Connection {
  /// Copies every page in one step.
  fileprivate func copy(
    to connection: Connection,
    for operation: PersistenceError.Operation,
    from path: StorePath
  ) throws {
    try reading {
      let copy = try OnlineBackup(from: self, to: connection)
      guard try copy.step(pages: -1) == .complete else {
        throw PersistenceError(operation, path: path.file, .busy("it is being written to"))
      }
      try copy.finish()
    }.get()
  }
}
