import Foundation
import StrataBase

/// The way in for a writer: refuse what is no store, then take the lock.
///
/// Nothing is written into a file that is refused, and nothing beside it either.
enum WriterLock {
  /// One at a time in this process.
  ///
  /// Closing a descriptor of a database drops every POSIX lock the process holds on it, so the
  /// header is only read here while no store of this process can be opening that file; one that has
  /// it open holds the lock file, which is asked first.
  private static let acquiring = Lock(false)

  /// Takes the writer's lock.
  static func acquire(
    _ path: StorePath,
    as owner: LockFile.Owner,
    knownFormat: Int,
    on disk: Disk = .system
  ) throws(PersistenceError) -> LockFile {
    try acquiring.withLock { _ throws(PersistenceError) in
      // Before its header is read: who has it open under another name is in this process perhaps.
      let names = try path.creationNames(.opening)
      let isLockThere = FileIdentity(ofFileAt: path.lock) != nil
      if !isLockThere { try checkHeader(path, knownFormat, on: disk) }
      let lock = try take(path, owner, disk)
      if isLockThere { try checkHeader(path, knownFormat, on: disk) }
      for name in names { _ = unlink(name) }
      return lock
    }
  }

  private static func take(
    _ path: StorePath,
    _ owner: LockFile.Owner,
    _ disk: Disk
  ) throws(PersistenceError) -> LockFile {
    do {
      if let lock = try LockFile(taking: path.lock, as: owner, on: disk) { return lock }
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
    throw PersistenceError(
      .opening,
      path: path.file,
      .alreadyOpen(by: LockFile.owner(at: path.lock))
    )
  }

  /// Refuses a file by its first bytes; a path without a file passes.
  static func checkHeader(
    _ path: StorePath,
    _ knownFormat: Int,
    on disk: Disk = .system
  ) throws(PersistenceError) {
    guard case .file(let size) = try path.occupant(.opening) else { return }
    do {
      let bytes = try disk.open(path.file, O_RDONLY).read(100, at: 0)
      try StoreHeader.check(
        bytes,
        fileSize: size,
        walSize: path.walSize,
        knownFormat: knownFormat
      )
    } catch let error as PersistenceError.Reason {
      throw PersistenceError(.opening, path: path.file, error)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }
}
