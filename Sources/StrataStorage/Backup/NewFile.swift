import Foundation
import StrataMigrations
package import StrataSQLite

/// A store's file under construction.
///
/// It has a temporary name until it is complete and verified, and never replaces another file.
///
/// Creating a store, copying one and salvaging one all use it.
package struct NewFile: Sendable {
  /// Its final path.
  package let path: StorePath
  /// Its path until then.
  package let temporary: String
  package let disk: Disk
  private let operation: PersistenceError.Operation

  /// A file beside a store whose writer's lock the caller holds.
  init(underLockOf path: StorePath, for operation: PersistenceError.Operation, on disk: Disk) {
    self.path = path
    self.operation = operation
    self.disk = disk
    temporary = path.creating
  }

  /// A file at a path that no lock guards.
  ///
  /// Its temporary name is unique, so that two callers do not interfere.
  ///
  /// Throws `.fileExists` when there is a file at the path, or the write-ahead log of one that is gone,
  /// which SQLite would take for the new file's.
  package init(
    at path: StorePath,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) throws(PersistenceError) {
    self.path = path
    self.operation = operation
    self.disk = disk
    temporary = "\(path.creating)-\(UUID().uuidString)"
    guard try path.fileStatus(operation) == .missing else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.file))
    }
    guard path.walSize == 0 else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.wal))
    }
  }

  /// Creates it, empty and readable by its owner only; SQLite gives its other files the same mode.
  package func create() throws(SystemError) {
    _ = try disk.open(temporary, O_RDWR | O_CREAT | O_EXCL)
  }

  /// Creates it as a store of this build's format; `fill` writes its contents in one transaction.
  func createStore(now: Int64, _ fill: (Connection) throws -> Void) throws {
    try create()
    let connection = try connect()
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    try connection.transaction { try fill(connection) }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  /// A connection to the unfinished file.
  package func connect(_ mode: OpenMode = .readWrite) throws -> Connection {
    try Connection(path: temporary, mode: mode, vfs: disk.vfs)
  }

  /// Verifies every hash and record in it.
  package func verify() throws {
    let verification = try Inspector(path: temporary, on: disk).verify()
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
      try disk.sync(path.directory)
    } catch {
      // The caller gets an error, so there must be no file.
      _ = unlink(path.file)
      throw error
    }
  }

  /// Removes the unfinished file and SQLite's files beside it.
  package func removeLeftovers() {
    _ = unlink(temporary)
    removeCompanions()
  }

  /// Removes SQLite's files beside the unfinished file.
  func removeCompanions() {
    for suffix in ["-wal", "-shm", "-journal"] { _ = unlink(temporary + suffix) }
  }
}
