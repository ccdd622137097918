import Foundation
import StrataBase
package import StrataJournal
package import StrataSQLite

/// A store's file under construction.
///
/// It has a temporary name until it is complete and verified, and never replaces another file.
///
/// Creating a store and every ``StoreCopy`` use it.
package struct NewFile: Sendable {
  /// Its final path.
  package let path: StorePath
  /// Its path until then.
  package let temporary: String
  package let disk: Disk
  /// Whose it will be; nil for this process's user.
  private let owner: FileOwner?
  private let operation: PersistenceError.Operation
  /// Shows that the file is being made, if its temporary name is unique: a file beside it.
  private let mark: Mark?

  /// Is held from the creation of the file until its temporary name is gone.
  private typealias Mark = Lock<LockedMark?>

  private static let markSuffix = ".mark"

  /// A file beside a store whose writer's lock the caller holds.
  package init(
    underLockOf path: StorePath,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) {
    self.path = path
    self.operation = operation
    self.disk = disk
    owner = path.owner
    temporary = path.creating
    mark = nil
  }

  /// A file that is to take the place of a store whose writer's lock the caller holds.
  ///
  /// Its temporary name is unique, so the next opening removes what a crash has left. A copy in the directory of the store
  /// that it is made from belongs to whom the store belongs.
  package init(
    replacing path: StorePath,
    from source: StorePath? = nil,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) {
    self.path = path
    self.operation = operation
    self.disk = disk
    owner = path.owner ?? source.flatMap { $0.directory == path.directory ? $0.owner : nil }
    temporary = "\(path.creating)-\(Scheduling.uuid().uuidString)"
    mark = Mark(nil)
  }

  /// The same at a path that no lock guards: as the name is unique, two callers do not interfere.
  ///
  /// Throws `.fileExists` when there is a file at the path, or the write-ahead log or the rollback journal
  /// of one that is gone, which SQLite would take for the new file's.
  package init(
    at path: StorePath,
    from source: StorePath? = nil,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) throws(PersistenceError) {
    self.init(replacing: path, from: source, for: operation, on: disk)
    try path.checkIsFree(operation)
    try path.checkLength(operation, as: .copy)
    do {
      try Self.removeAbandoned(besides: path, .all)
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// The temporary names of the unfinished files of this process.
  private static let unfinished = Lock<Set<String>>([])

  /// Removes the unfinished files of this process, and ends it.
  ///
  /// What another thread does with them meanwhile waits, and so reports no error of a file that is gone.
  package static func removeAll(_ end: () -> Never) -> Never {
    unfinished.withLock { files in
      for file in files { removeFiles(file) }
      end()
    }
  }

  /// Removes a file, SQLite's files beside it, and its mark.
  private static func removeFiles(_ temporary: String) {
    for suffix in ["", "-wal", "-shm", "-journal", markSuffix] { _ = unlink(temporary + suffix) }
  }

  /// Creates it, empty; SQLite gives its other files the same owner and mode.
  package func create() throws(SystemError) {
    // Whatever ends the process meanwhile waits for the file, so that it can remove it.
    try Self.unfinished.withLock { files throws(SystemError) in
      files.insert(temporary)
      if let mark {
        // If another process has taken it for an abandoned one meanwhile, it is left again.
        var left: LockedMark?
        while left == nil {
          left = try LockedMark(temporary + Self.markSuffix, like: owner, on: disk)
        }
        mark.withLock { $0 = left }
      }
      do throws(SystemError) {
        _ = try disk.create(temporary, like: owner)
      } catch {
        mark?.withLock { $0 = nil }
        throw error
      }
    }
  }

  /// Creates it with some contents.
  package func create(with contents: [UInt8]) throws {
    try create()
    try disk.open(temporary, O_RDWR).write(contents, at: 0)
  }

  /// Creates it with every page of another file, and returns a connection to it.
  package func createCopy(of source: Connection) throws -> Connection {
    try create()
    let connection = try connect()
    try source.reading {
      let copy = try OnlineBackup(from: source, to: connection)
      guard try copy.step(pages: -1) == .complete else {
        throw PersistenceError.Reason.busy("it is being written to")
      }
      try copy.finish()
    }.get()
    return connection
  }

  /// Which unfinished files to remove.
  package enum Abandoned {
    /// Those of the store at the path; where it has a writer's lock, the caller holds it.
    case ofSameStore
    /// Those of any store in the directory: each backup has a name of its own.
    case all
  }

  /// Removes the unfinished files in a directory that a killed process has left.
  ///
  /// They have the name of a store and `.creating`. The process that makes one holds the lock of the store, or `-` and a UUID
  /// follow, and it holds the mark of the file.
  ///
  /// O(files in the directory).
  package static func removeAbandoned(besides path: StorePath, _ which: Abandoned)
    throws(SystemError)
  {
    let own = PathParts(path.creating).name
    let names = try path.namesInDirectory().map {
      $0.hasSuffix(markSuffix) ? String($0.dropLast(markSuffix.count)) : $0
    }
    for name in Set(names).inOrder() {
      let separator = name.range(of: ".creating-", options: .backwards)
      let isUnique = separator.map { UUID(uuidString: String(name[$0.upperBound...])) != nil }
      switch which {
      case .all: guard isUnique == true else { continue }
      case .ofSameStore:
        guard name == own || isUnique == true && name.hasPrefix(own + "-") else { continue }
      }
      // What cannot be opened stays.
      do { try removeAbandoned(path.directory + "/" + name) } catch { continue }
    }
  }

  /// Removes an unfinished file if no process makes it.
  ///
  /// Holds its mark meanwhile, which is removed last.
  private static func removeAbandoned(_ temporary: String) throws(SystemError) {
    let owner = FileOwner(ofFileAt: temporary)
    guard let mark = try LockedMark(temporary + markSuffix, like: owner, on: .system) else {
      return
    }
    defer { withExtendedLifetime(mark) {} }
    guard FileIdentity.exists(temporary), try OpenFile(temporary, O_RDONLY).isUnfinishedDatabase()
    else { return }
    removeFiles(temporary)
  }

  /// Creates it as a store of this build's format; `fill` writes its contents in one transaction.
  package func createStore<R>(now: Int64, _ fill: (Connection) throws -> R) throws -> R {
    try create()
    let connection = try connect()
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    let result = try StoreFormat.fill(connection, now: now, fill)
    try connection.checkpoint(.truncate)
    try connection.close()
    return result
  }

  /// Runs a closure that makes the file; if it throws, nothing of the file is left.
  package func make<R>(_ work: () throws -> R) throws -> R {
    do {
      return try work()
    } catch {
      removeLeftovers()
      throw error
    }
  }

  /// A connection to the unfinished file.
  package func connect(_ mode: OpenMode = .readWrite) throws -> Connection {
    try Connection(path: temporary, mode: mode, vfs: disk.vfs)
  }

  /// Verifies every hash and record in it.
  ///
  /// Throws `CorruptionError` if it is not what was written.
  package func verify() throws {
    let verification: Verification
    do throws(PersistenceError) {
      verification = try Inspector(path: temporary, on: disk).verify()
    } catch {
      switch error.reason {
      // It was written as a store.
      case .empty, .truncated, .notADatabase, .foreign:
        throw CorruptionError("the copy failed verification: \(error.reason.sentence)")
      default: throw error
      }
    }
    guard verification.isSound else {
      let failed = verification.checks.filter { !$0.passed }
      throw CorruptionError(
        """
        the copy failed verification: \
        \(failed.map { "\($0.name): \($0.detail)" }.joined(separator: "; "))
        """
      )
    }
  }

  /// Gives it its name, with the head of a store that ends at a position.
  package func giveName(at position: Position) throws {
    // The name comes last: a head without a store is harmless, a store without its head is not.
    try HeadFile.write(position, for: path, on: disk)
    try giveName()
  }

  /// Gives it its name; the name is on disk when this returns.
  package func giveName() throws {
    try disk.sync(temporary)
    do {
      try disk.linkOrRename(temporary, to: path.file)
    } catch  where error.code == EEXIST {
      throw PersistenceError(operation, path: path.file, .fileExists(path.file))
    }
    removeLeftovers()
    do {
      // They were made while there was no store to go by.
      try owner?.claim([path.lock, path.head], on: disk)
      try disk.sync(path.directory)
    } catch {
      // The caller gets an error, so there must be no file.
      _ = unlink(path.file)
      throw error
    }
  }

  /// Gives it the name of the store, whose old file is then gone, and writes the head.
  ///
  /// The WAL of the old file has to be empty: SQLite would take it for that of the new file. A crash leaves
  /// the old file or the new one.
  ///
  /// - Parameters:
  ///   - former: The connection to the old file, which it closes.
  ///   - position: Where the new file ends.
  ///   - didReplace: Called once the new file is in place.
  package func replaceStore(
    closing former: Connection,
    at position: Position,
    _ didReplace: (Position) -> Void = { _ in }
  ) throws {
    try former.checkpoint(.truncate)
    former.checkpointsOnClose = .automatic
    try former.close()
    guard path.walSize == 0 else {
      throw PersistenceError.Reason.busy("a reader keeps SQLite's WAL from being emptied")
    }
    try disk.sync(temporary)
    // A reader that still has the old file open keeps its own shared memory.
    for name in [path.wal, path.shm] { _ = unlink(name) }
    // After a power cut there must be no WAL of the old file beside the new one.
    try disk.sync(path.directory)
    try disk.rename(temporary, to: path.file)
    removeLeftovers()
    didReplace(position)
    try disk.sync(path.directory)
    try HeadFile.write(position, for: path, on: disk)
  }

  /// Makes it durable under its temporary name; what moves the old file away then gives it the name of the store.
  package func complete() throws {
    try disk.sync(temporary)
    removeCompanions()
    Self.unfinished.withLock { _ = $0.remove(temporary) }
  }

  /// Removes the unfinished file and SQLite's files beside it.
  package func removeLeftovers() {
    Self.unfinished.withLock { files in
      _ = unlink(temporary)
      removeCompanions()
      mark?.withLock { $0 = nil }
      files.remove(temporary)
    }
  }

  /// Removes SQLite's files beside the unfinished file.
  package func removeCompanions() {
    for suffix in ["-wal", "-shm", "-journal"] { _ = unlink(temporary + suffix) }
  }
}
