import Foundation
import StrataSQLite

/// Going back to a backup of a store.
public enum StoreBackup {
  /// Puts a copy of a backup where a store was, in a new epoch; gives where it stands.
  ///
  /// ```swift
  /// try await StoreBackup.bringBack("backups/app-2026-11-21.strata", to: "app.strata")
  /// let persistence = try await Persistence.open(at: "app.strata", …)
  /// ```
  ///
  /// What came after the backup is cut off from history, which the epoch tells to whoever followed the
  /// store: it is higher than that of the backup and than that of the store which was there. (A file
  /// that is just copied back is refused, as it lacks what its head says was acknowledged.)
  ///
  /// Nothing is overwritten: move what is left of the store away first, its `-wal` and `-shm` with it.
  /// Leave its `.head`, which says how far it was. The backup stays as it is. O(file), several times
  /// over: the copy is proved before it gets its name.
  ///
  /// Throws ``PersistenceError``: `.fileExists`, `.alreadyOpen` for a backup that is being written to
  /// or a place that another writer holds, `.damaged` and other reasons of either file.
  @discardableResult
  public static func bringBack(
    _ backup: String,
    to path: String
  ) async throws(PersistenceError) -> Position {
    try await bringBack(backup, to: path, on: .system)
  }

  package static func bringBack(
    _ backup: String,
    to path: String,
    on disk: Disk
  ) async throws(PersistenceError) -> Position {
    let backup = try StorePath(backup, for: .bringingBack)
    let path = try StorePath(path, for: .bringingBack)
    let file = try NewFile(at: path, for: .bringingBack, on: disk)
    do {
      return try await CopyWork(file).run { file in
        try BroughtBack(backup: backup, file: file).make()
      }
    } catch {
      file.removeLeftovers()
      throw PersistenceError(.bringingBack, path: file.path.file, wrapping: error)
    }
  }
}

/// The bringing back of one backup.
private struct BroughtBack {
  let backup: StorePath
  let file: NewFile

  func make() throws -> Position {
    let source = try ReadAccess(backup, on: file.disk)
    if source.manner == .live {
      throw PersistenceError(
        .bringingBack,
        path: backup.file,
        .alreadyOpen(by: LockFile.owner(at: backup.lock))
      )
    }
    try RestoredFile.check(source.connection, backup, .bringingBack)
    let owner = LockFile.Owner.current(started: Date())
    let lock = HeldLock(
      try StoreGate.enter(
        file.path,
        as: owner,
        knownFormat: StoreFormat.known,
        on: file.disk
      )
    )
    defer { withExtendedLifetime(lock) {} }
    try file.make()
    let position = try copy(source.connection)
    try file.prove()
    // The name comes last: a head without a store says nothing, a store without its head too little.
    try writeHead(position)
    try file.giveName()
    return position
  }

  private func copy(_ source: Connection) throws -> Position {
    let connection = try Connection(path: file.temporary, mode: .readWrite, vfs: file.disk.vfs)
    let copy = try OnlineBackup(from: source, to: connection)
    guard try copy.step(pages: -1) == .complete else {
      throw PersistenceError(.bringingBack, path: backup.file, .busy("it is being written to"))
    }
    try copy.finish()
    var identity = try StoreIdentity.read(connection)
    let head = try HeadFile.read(file.path.head, on: file.disk)
    let before = head.flatMap { $0.storeID == identity.id ? $0.epoch : nil } ?? 0
    identity.epoch = max(identity.epoch, before) + 1
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try connection.transaction { try identity.writeEpoch(to: connection) }
    let last = try ReadView(connection).last
    try connection.checkpoint(.truncate)
    try connection.close()
    return Position(
      storeID: identity.id,
      epoch: identity.epoch,
      revision: last.revision,
      chain: last.chain
    )
  }

  private func writeHead(_ position: Position) throws {
    let mark = HeadRecord.Mark(revision: position.revision, chain: position.chain)
    var head = try HeadFile(opening: file.path.head, on: file.disk)
    try head.write(
      HeadRecord(
        storeID: position.storeID,
        epoch: position.epoch,
        bootID: BootID.current(),
        durable: mark,
        written: mark
      )
    )
    try head.sync()
  }
}
