package import Foundation
import StrataBase
package import StrataJournal
package import StrataSQLite
import StrataSchema

/// A store whose writer's lock this process holds: everything that writes to a store's file goes through it.
///
/// A path is taken in one order, for an opening, a sender to an archive, a migration, a replica, a command and a
/// restored backup:
///
/// 1. *What must be there*: a store, or nothing. A caller that is refused for that leaves no lock file. A crash may
///    have interrupted a move of the files, so until that is completed a missing file proves nothing.
/// 2. *The header, then the lock* (`WriterLock`). A file that is not a store gets no lock file either.
/// 3. *Interrupted moves* are completed. Only then is it settled which files are the store's, so nothing is
///    looked at or removed before.
/// 4. *Foreign files* are refused, or set aside, before SQLite opens or creates anything: it follows links, and
///    writes a rollback journal into the database.
/// 5. *Leftovers* of copies are removed. A caller that was refused has removed nothing.
/// 6. *What must be there*, again: from here on nobody else changes it.
///
/// A file is then opened in one order too:
///
/// 1. *Foreign files* are refused: the lock may have been held for long.
/// 2. *The connection*, which never checkpoints when it closes after an error.
/// 3. *The schema*, before any of it is used: an object that was planted in it could run.
/// 4. *The settings* of a writer, that the WAL is the file's own, and *the structure*: what SQLite trusts when it writes.
/// 5. *The contents* and their chain, and that nothing is where the next delta comes.
/// 6. *The head*, which is compared with the position that was found.
///
/// Until ``makeSession(_:as:)`` nothing is written to the file.
package struct OwnedStore: Sendable {
  /// What has to be at the path.
  package enum Presence: Sendable {
    case store
    /// No file, and nothing that SQLite would take for a new file's.
    case nothing
    case either
  }

  /// What to do with files beside the store that are not its own.
  package enum ForeignFiles: Sendable {
    case refuse
    case setAside
  }

  package let path: StorePath
  package let configuration: PersistenceConfiguration
  let operation: PersistenceError.Operation
  private var lock: LockHandle
  /// Whether a writer had opened the store before.
  private let hadLockFile: Bool
  /// The foreign files that were set aside.
  private let foreign: Quarantine?
  /// Whether the file was created under this lock: it has no head yet.
  private(set) var isNew = false

  /// Takes a path.
  ///
  /// The lock is held as long as there is a copy of this value. A caller that does not store it uses
  /// ``hold(_:for:_:_:_:)``.
  ///
  /// Throws `.missing` or `.fileExists`, as the presence says; `.alreadyOpen`; `.foreignCompanion`; and what is
  /// wrong with the header.
  package init(
    _ path: StorePath,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration,
    _ presence: Presence = .store,
    foreign: ForeignFiles = .refuse
  ) throws(PersistenceError) {
    self.path = path
    self.operation = operation
    self.configuration = configuration
    let (now, disk) = (configuration.now(), configuration.disk)
    do {
      if try !Quarantine.hasInterruptedMove(path) { try presence.check(path, operation) }
      hadLockFile = FileIdentity.exists(path.lock)
      lock = try WriterLock.acquire(
        path,
        as: .current(started: now),
        knownFormat: StoreFormat.known,
        on: disk
      )
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
    do {
      try Quarantine.complete(path, now: now, on: disk)
      switch foreign {
      case .refuse:
        try path.checkCompanions(operation)
        self.foreign = nil
      case .setAside:
        self.foreign = try Quarantine.addForeignCompanions(of: path, now: now, on: disk)
      }
      try NewFile.removeAbandoned(besides: path, .ofSameStore)
      try presence.check(path, operation)
    } catch {
      Self.removeTraces(path, lock, hadLockFile: hadLockFile, on: disk)
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Runs a closure that opens the file; if it throws, nothing is left that was not there before.
  ///
  /// The connection of the closure is closed when it has thrown.
  package mutating func leavingNoTrace<R>(_ work: (inout OwnedStore) throws -> R) throws -> R {
    do {
      return try work(&self)
    } catch {
      Self.removeTraces(path, lock, hadLockFile: hadLockFile, on: configuration.disk)
      throw error
    }
  }

  /// Removes what an opening that failed has made beside the file: an empty WAL, shared memory, a lock file.
  private static func removeTraces(
    _ path: StorePath,
    _ lock: LockHandle,
    hadLockFile: Bool,
    on disk: Disk
  ) {
    defer { if !hadLockFile { lock.remove() } }
    do {
      try path.removeEmptyWAL(on: disk)
    } catch {
      // The error of the opening is the one to report.
      return
    }
  }

  /// Takes the lock again if its file was removed: another writer may hold the one that is there now.
  mutating func lockAgainIfLost() throws(PersistenceError) {
    if lock.isInPlace { return }
    lock = try WriterLock.take(
      path,
      as: .current(started: configuration.now()),
      for: .appending,
      on: configuration.disk
    )
  }
}

extension OwnedStore.Presence {
  fileprivate func check(
    _ path: StorePath,
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) {
    switch self {
    case .either: break
    case .nothing:
      try path.checkIsFree(operation)
      try path.checkLength(operation, as: .store)
    case .store:
      guard try path.fileStatus(operation) != .missing else {
        throw PersistenceError(operation, path: path.file, .missing)
      }
    }
  }
}

/// Opening the file.
extension OwnedStore {
  /// Opens the file, whose schema is that of a store; nothing else of it was verified.
  package func connect() throws -> Connection {
    try path.checkCompanions(operation)
    let connection = try Connection(path: path.file, mode: .readWrite, vfs: configuration.vfs)
    connection.checkpointsOnClose = .never
    try RestoredFile.check(connection, path, operation)
    return connection
  }

  /// Opens the file for writing; its contents were not verified.
  ///
  /// Throws `.needsFeature` for a file with a feature of a later version.
  package func connectForWriting() throws -> Connection {
    let alone = CheckpointedEnd(path, operation, vfs: configuration.vfs)
    let connection = try connect()
    if let feature = try HashedTable.unknownFeature(on: connection) {
      throw PersistenceError.Reason.needsFeature(feature)
    }
    try connection.checkWriteVersion()
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    if let alone {
      try alone.check(connection) { try $0.checkStructure() }
    } else {
      try connection.checkStructure()
    }
    return connection
  }

  /// Checks that a file that ends at a position has everything that its head lists as acknowledged; returns
  /// notes for the report.
  @discardableResult
  package func checkHead(of position: Position, _ lineages: [Lineage]) throws -> String? {
    try HeadCheck.compare(
      try HeadFile.read(path.head, on: configuration.disk),
      recovered: position,
      lineages,
      bootID: configuration.bootID
    ).noteOrError()
  }

  /// Opens the file for writing and verifies all of it; `read` receives its entities.
  ///
  /// O(file).
  package func restore<Contents>(
    _ read: (inout MergeIterator, ReadView) throws -> Contents
  ) throws -> (file: RestoredFile, contents: Contents) {
    var (file, contents) = try RestoredFile.read(
      connectForWriting(),
      application: configuration.application,
      configuration.progress,
      read
    )
    try file.checkEnd()
    let note = try checkHead(of: file.position, file.identity.lineages)
    if let note, !isNew { file.notes.append(note) }
    if let foreign { file.notes.append("\(foreign.reason); moved to \(foreign.directory)") }
    return (file, contents)
  }

  /// Opens the file for writing and verifies all of it.
  package func restore() throws -> RestoredFile { try restore { _, _ in }.file }

  /// Opens a file again that this process has left a moment ago, and verifies all of it.
  ///
  /// The caller compares its position with the one that it has left, which is more than the head says.
  func reopen() throws -> RestoredFile {
    let file = try RestoredFile.read(
      connectForWriting(),
      application: configuration.application
    ) { _, _ in }.file
    try file.checkEnd()
    return file
  }

  /// Starts to write to a file that was restored.
  ///
  /// - Parameters:
  ///   - originID: names the writer in its deltas.
  ///   - isNoted: whether an earlier session of the writer has noted it in the file.
  ///   - start: when the session writes for the first time.
  package func makeSession(
    _ file: inout RestoredFile,
    as originID: UUID = Scheduling.uuid(),
    isNoted: Bool = false,
    start: WriterSession.Start = .atOnce
  ) throws -> WriterSession {
    let now = configuration.now().microseconds
    try file.prepareForWriting(application: configuration.application)
    return try WriterSession(
      file,
      path: path,
      on: configuration.disk,
      origin: WriterOrigin(originID, isNoted: isNoted, since: now),
      bootID: configuration.bootID,
      traces: configuration.commitTraces,
      start: start
    )
  }

  /// Creates the file, with the tables that `fill` adds; a crash leaves all of it or nothing.
  mutating func createFile(
    _ preparation: (any FilePreparation)?,
    _ fill: (inout InitialSnapshot) throws -> Void
  ) throws {
    try path.checkLength(operation, as: .store)
    try InitialSnapshot.createStore(
      at: path,
      now: configuration.now().microseconds,
      configuration,
      preparation,
      fill
    )
    isNew = true
  }
}

/// One call on a store that no program has open, without the types of its entities.
extension OwnedStore {
  /// Takes a path, runs a closure, and releases it.
  package static func hold<R>(
    _ path: StorePath,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration,
    _ presence: Presence = .store,
    _ work: (inout OwnedStore) throws -> R
  ) throws(PersistenceError) -> R {
    var store = try OwnedStore(path, for: operation, configuration, presence)
    let lock = store.lock
    defer { withExtendedLifetime(lock) {} }
    do {
      return try store.leavingNoTrace(work)
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Opens a store for writing, runs a closure, and closes it.
  ///
  /// O(file), like opening: everything that the closure reads was verified.
  package static func write<R>(
    _ path: StorePath,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration,
    _ work: (WriterSession, RestoredFile) throws -> R
  ) throws(PersistenceError) -> R {
    try hold(path, for: operation, configuration) { store in
      var file = try store.restore()
      let session = try store.makeSession(&file)
      let result = try work(session, file)
      try session.barrier()
      do {
        try session.close()
      } catch {
        // All of it is on disk. What a full disk leaves in SQLite's WAL, the next opening copies into the file.
        return result
      }
      return result
    }
  }

  /// Creates a store with what `fill` adds.
  ///
  /// A crash at any moment leaves either all of it or no store; so does an error.
  package static func create(
    _ path: StorePath,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration,
    _ fill: (inout InitialSnapshot) throws -> Void
  ) throws(PersistenceError) {
    try hold(path, for: operation, configuration, .nothing) { store in
      try store.createFile(nil, fill)
      do {
        let file = try store.restore()
        file.connection.checkpointsOnClose = .automatic
        try file.connection.close()
        try HeadFile.write(file.position, for: path, on: configuration.disk)
      } catch {
        for name in [path.wal, path.shm, path.file] { _ = unlink(name) }
        throw error
      }
    }
  }
}
