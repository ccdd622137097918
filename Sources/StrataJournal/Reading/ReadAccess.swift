import Foundation
package import StrataSQLite

/// Opens a store for reading without changing it, whether or not a writer has it open, and checks its schema.
///
/// Without a writer, the lock is shared, so that none can open the store meanwhile. If SQLite's WAL has no
/// commit, the file is read as immutable; otherwise a ``MergedCopy`` is read, because `immutable` silently
/// ignores the WAL. With a writer, the file is read through SQLite read-only, and only the shared-memory
/// file changes.
///
/// A file that has two names is refused: the lock and the WAL belong to one of them, and the other name
/// shows neither. So are foreign files beside it, which SQLite would follow or write into the file.
package final class ReadAccess {
  package enum Mode: String, Sendable, Codable {
    /// No writer, and nothing in SQLite's WAL: the file itself.
    case atRest
    /// No writer, but commits in SQLite's WAL: a copy of the database with them.
    case copy
    /// A writer has the store open.
    case live
  }

  package let connection: Connection
  package let mode: Mode
  package let disk: Disk
  /// Keeps writers out while this object lives; nil if there is a writer, or no lock file.
  private var lock: SharedLockHandle?

  package init(
    _ path: StorePath,
    for operation: PersistenceError.Operation = .inspecting,
    on disk: Disk
  ) throws {
    self.disk = disk
    guard try path.fileStatus(operation) != .missing else {
      throw PersistenceError(operation, path: path.file, .missing)
    }
    _ = try path.creationNames(operation)
    try path.checkCompanions(operation)
    switch try SharedLock.take(path.lock) {
    case .writerPresent:
      lock = nil
      mode = .live
      connection = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
    case .acquired(let shared):
      lock = SharedLockHandle(shared)
      (connection, mode) = try Self.openAtRest(path, operation, disk)
    case .noLockFile:
      lock = nil
      (connection, mode) = try Self.openAtRest(path, operation, disk)
    }
    try RestoredFile.check(connection, path, operation)
  }

  private static func openAtRest(
    _ path: StorePath,
    _ operation: PersistenceError.Operation,
    _ disk: Disk
  ) throws -> (Connection, Mode) {
    try WriterLock.checkHeader(path, StoreFormat.known, for: operation, on: disk)
    if path.walSize > 0, let copy = try MergedCopy.open(path, on: disk) { return (copy, .copy) }
    return (try Connection(path: path.file, mode: .immutable, vfs: disk.vfs), .atRest)
  }

  /// Lets a writer open the store, if what is read is a copy of it.
  package func releaseCopied() {
    if mode == .copy { lock = nil }
  }
}

/// A shared lock as an object: held until it is deallocated.
private final class SharedLockHandle: Sendable {
  private let lock: SharedLock

  init(_ lock: consuming SharedLock) { self.lock = lock }
}
