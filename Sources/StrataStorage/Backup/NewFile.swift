import Foundation
import StrataMigrations
package import StrataSQLite

/// A store's file under construction: it has a name of its own until it is whole and verified, and never
/// takes the place of another file.
///
/// Creating a store, copying one and salvaging one all go through it.
package struct NewFile: Sendable {
  /// Where it will be.
  package let path: StorePath
  /// Where it is until then.
  package let temporary: String
  package let disk: Disk
  private let operation: PersistenceError.Operation

  /// A file next to a store whose writer's lock the caller holds.
  init(underLockOf path: StorePath, for operation: PersistenceError.Operation, on disk: Disk) {
    self.path = path
    self.operation = operation
    self.disk = disk
    temporary = path.creating
  }

  /// A file at a place that no lock guards; its temporary name is unique, so that two callers do not
  /// meet.
  ///
  /// Refuses a place that is taken by a file, or by the log of one that is gone, which SQLite would take
  /// for the new file's.
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

  /// Creates it, empty and readable by its owner alone; SQLite gives its other files the same mode.
  package func create() throws(SystemError) {
    _ = try disk.open(temporary, O_RDWR | O_CREAT | O_EXCL)
  }

  /// Creates it as a store of this build's format; `fill` writes what it holds, in one transaction.
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
        the copy could not be verified: \
        \(failed.map { "\($0.name): \($0.detail)" }.joined(separator: "; "))
        """
      )
    }
  }

  /// Gives it its name, permanently when this returns.
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

  /// Removes the unfinished file, and what SQLite put beside it.
  package func removeLeftovers() {
    _ = unlink(temporary)
    removeCompanions()
  }

  /// Removes what SQLite put beside the unfinished file.
  func removeCompanions() {
    for suffix in ["-wal", "-shm", "-journal"] { _ = unlink(temporary + suffix) }
  }
}
