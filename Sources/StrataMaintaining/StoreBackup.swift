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
      return try file.make {
        let source = try ReadAccess(store, for: .backingUp, on: file.disk)
        let connection = try file.createCopy(of: source.connection)
        let position = try ReadView(connection).position
        try connection.close()
        try file.verify()
        try file.giveName()
        return position
      }
    } catch {
      throw PersistenceError(.backingUp, path: path.file, wrapping: error)
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
    let copy = try FileCopy(of: backup, to: path, for: .restoringBackup, on: disk)
    return try await FileWorker.copy(.restoringBackup, copy.path) { try copy.restore() }
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
    let copy = try FileCopy(of: backup, to: path, for: .restoringBackup, on: disk)
    return try await FileWorker.copy(.restoringBackup, copy.path) {
      guard try copy.path.fileStatus(.restoringBackup) != .missing else {
        return RestoredBackup(position: try copy.restore(), replaced: nil, missingErasures: 0)
      }
      return try copy.replace(now: now)
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
    let copy = try FileCopy(of: store, to: path, for: .forking, on: disk)
    return try await FileWorker.copy(.forking, copy.path) { try copy.fork(at: .point(point)) }
  }

  /// The same for a point as people write it, on the calling thread.
  package static func forkBlocking(
    _ store: String,
    at expression: RevisionExpression,
    to path: String
  ) throws(PersistenceError) -> Position {
    let copy = try FileCopy(of: store, to: path, for: .forking, on: .system)
    do {
      return try copy.fork(at: expression)
    } catch {
      throw PersistenceError(.forking, path: copy.path.file, wrapping: error)
    }
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

extension FileWorker {
  /// Copies a file on a thread of its own, and wraps the error.
  static func copy<R: Sendable>(
    _ operation: PersistenceError.Operation,
    _ path: StorePath,
    _ work: @Sendable () throws -> R
  ) async throws(PersistenceError) -> R {
    do {
      return try await FileWorker(label: "strata.backup").run(work)
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }
}

/// A file that becomes a store, as another one was at some point.
private struct FileCopy {
  let source: StorePath
  let path: StorePath
  let operation: PersistenceError.Operation
  let disk: Disk

  init(
    of source: String,
    to path: String,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) throws(PersistenceError) {
    self.source = try StorePath(source, for: operation)
    self.path = try StorePath(path, for: operation)
    (self.operation, self.disk) = (operation, disk)
  }

  /// Copies all of the file to where nothing is.
  func restore() throws -> Position {
    try make { try copy(openSource(), to: $0) }
  }

  /// Copies the file up to a point of its history to where nothing is.
  func fork(at expression: RevisionExpression) throws -> Position {
    try make { file in
      let source = try openSource()
      return try source.connection.reading {
        let (view, end) = try ofSource {
          let view = try ReadView(source.connection)
          let revision = try view.revision(of: expression)
          try view.checkIsKept(revision)
          guard let chain = try view.chain(at: revision) else {
            throw CorruptionError("nothing ends at revision \(revision)")
          }
          return (view, HeadRecord.Mark(revision: revision, chain: chain))
        }
        var identity = view.identity
        let now = Scheduling.date
        identity.branch(.forked, after: end, at: now)
        try file.createStore(now: now.microseconds) { connection in
          let copy = StoreCopy(from: source.connection, to: connection, through: end.revision)
          try copy.allButHistory(of: view, as: identity)
          try copy.history(of: view)
          try LeadershipRecord.noteTakenBack(to: end, in: connection)
        }
        return identity.position(at: end)
      }.get()
    }
  }

  /// Makes a store where nothing is; `fill` writes all of it.
  private func make(_ fill: (NewFile) throws -> Position) throws -> Position {
    let file = try NewFile(at: path, from: source, for: operation, on: disk)
    return try file.make {
      try OwnedStore.hold(path, for: operation, PersistenceConfiguration(on: disk), .nothing) { _ in
        let position = try fill(file)
        try file.verify()
        try file.giveName(at: position)
        return position
      }
    }
  }

  /// Copies all of the file, and gives the copy the name of the store that is there, whose files are moved to quarantine.
  func replace(now: Date) throws -> RestoredBackup {
    guard FileIdentity(ofFileAt: source.file) != FileIdentity(ofFileAt: path.file) else {
      throw PersistenceError(operation, path: path.file, .fileExists(source.file))
    }
    let source = try openSource()
    let missing = try StoreBackup.missingErasures(
      of: self.source.file,
      replacing: path.file,
      on: disk
    )
    return try Quarantine.locked(path, for: operation, now, disk) {
      try Quarantine.checkIsNotForeign(path, on: disk)
      let file = NewFile(underLockOf: path, for: operation, on: disk)
      file.removeLeftovers()
      let position = try file.make {
        let position = try copy(source, to: file)
        try file.verify()
        try file.complete()
        return position
      }
      var move = try QuarantineMove(
        of: path,
        reason: "replaced by the backup \(self.source.file)",
        replacement: QuarantineMove.name(file.temporary),
        cause: .setAside,
        now: now,
        on: disk
      )
      try move.run()
      try HeadFile.write(position, for: path, on: disk)
      return RestoredBackup(
        position: position,
        replaced: move.quarantine,
        missingErasures: missing
      )
    }
  }

  private func openSource() throws -> ReadAccess {
    let access = try ReadAccess(source, for: operation, on: disk)
    if access.mode == .live {
      throw PersistenceError(
        operation,
        path: source.file,
        .alreadyOpen(by: LockFile.owner(at: source.lock))
      )
    }
    return access
  }

  /// Copies all of the file, in another lineage.
  private func copy(_ source: ReadAccess, to file: NewFile) throws -> Position {
    let connection = try file.createCopy(of: source.connection)
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    _ = try ofSource { try StoreIdentity.read(connection) }
    return try StoreCopy.finish(connection, .restored)
  }

  /// Runs a closure whose error is about the file that is copied.
  private func ofSource<R>(_ read: () throws -> R) throws(PersistenceError) -> R {
    do {
      return try read()
    } catch {
      throw PersistenceError(operation, path: source.file, wrapping: error)
    }
  }
}
