import Foundation
import StrataBase

/// Opens a path for its one writer: refuses a file that is not a store, then takes the lock.
///
/// Nothing is written to a file that is refused, nor beside it.
package enum WriterLock {
  /// Serializes the calls of this process.
  ///
  /// Closing a descriptor of a database drops every POSIX lock that the process holds on it. So the header
  /// is read only while no store of this process can be opening that file; a store that has it open holds
  /// the lock file, which is tried first.
  private static let acquiring = Lock(false)

  /// How often a writer tries again while readers hold their locks: for half a second.
  ///
  /// A statement of a reader takes less than 100 ms.
  static let pauses = 500

  /// Waits a millisecond.
  static func pause() { Scheduling.current.block(for: .milliseconds(1)) }

  /// Checks the file at the path and takes the lock.
  package static func acquire(
    _ path: StorePath,
    as owner: LockFile.Owner,
    knownFormat: Int,
    on disk: Disk = .system
  ) throws(PersistenceError) -> LockHandle {
    try acquiring.withLock { _ throws(PersistenceError) in
      // Before the header is read: a store of this process may have the file open under another name.
      let names = try path.creationNames(.opening)
      let isLockThere = FileIdentity(ofFileAt: path.lock) != nil
      if !isLockThere { try checkHeader(path, knownFormat, on: disk) }
      let lock = try take(path, as: owner, for: .opening, on: disk)
      if isLockThere { try checkHeader(path, knownFormat, on: disk) }
      for name in names { _ = unlink(name) }
      return lock
    }
  }

  /// Takes the lock, whatever is at the path.
  ///
  /// It waits for readers, which release their locks after the current statement, but not for another writer.
  ///
  /// Throws `.alreadyOpen`; `.busy` with the process of a reader that does not release its lock.
  package static func take(
    _ path: StorePath,
    as owner: LockFile.Owner,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) throws(PersistenceError) -> LockHandle {
    do {
      var mark: LockedMark?
      defer { withExtendedLifetime(mark) {} }
      for _ in 0...Self.pauses {
        if let lock = try LockFile(of: path, as: owner, on: disk) {
          return LockHandle(lock)
        }
        // If the lock cannot be shared, a writer has it.
        if case .writerPresent = try SharedLock.take(path.lock) {
          throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
        }
        if mark == nil { mark = try LockedMark(path.coming, like: path.owner, on: disk) }
        Self.pause()
      }
      throw PersistenceError.Reason.busy(
        "\(SharedLock.holder(at: path.lock)) reads it and has not paused for half a second"
      )
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Refuses a file by its first bytes; accepts a path without a file.
  static func checkHeader(
    _ path: StorePath,
    _ knownFormat: Int,
    for operation: PersistenceError.Operation = .opening,
    on disk: Disk = .system
  ) throws(PersistenceError) {
    guard case .file(let size) = try path.fileStatus(operation) else { return }
    do {
      let bytes = try disk.open(path.file, O_RDONLY).read(100, at: 0)
      try StoreHeader.check(
        bytes,
        fileSize: size,
        walSize: path.walSize,
        knownFormat: knownFormat
      )
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }
}
