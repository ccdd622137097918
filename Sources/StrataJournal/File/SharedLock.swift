import Foundation

/// A shared lock of a reader: while it is held, no writer can take the lock.
///
/// A reader holds it while a statement runs, and not between two.
struct SharedLock: ~Copyable {
  private let file: OpenFile
  /// The bytes that the last writer has left in the lock file; they differ each time.
  let mark: [UInt8]

  /// The result of taking a shared lock.
  enum Outcome: ~Copyable {
    case acquired(SharedLock)
    /// There is no lock file: no writer ever opened the store at this path.
    case noLockFile
    /// With the bytes that it has left in the lock file.
    case writerPresent([UInt8])
  }

  private init(_ file: consuming OpenFile, _ mark: [UInt8]) {
    self.file = file
    self.mark = mark
  }

  deinit { _ = flock(file.descriptor, LOCK_UN) }

  /// Takes a shared lock without creating or changing anything.
  static func take(_ path: String) throws(SystemError) -> Outcome {
    while let identity = FileIdentity(ofFileAt: path) {
      let file = try OpenFile(path, O_RDONLY)
      guard try file.identity() == identity else { continue }
      let isFree = try file.lock(LOCK_SH | LOCK_NB)
      // A refused opening may have removed the file that it had made.
      guard FileIdentity(ofFileAt: path) == identity else { continue }
      let mark = try file.read(256, at: 0)
      guard isFree else { return .writerPresent(mark) }
      Self.name(on: file)
      return .acquired(SharedLock(file, mark))
    }
    return .noLockFile
  }

  /// Takes a POSIX lock as well, which shows a waiting writer the ID of this process.
  ///
  /// The system drops it when this process closes any descriptor of the file; the writer's error then names no process.
  private static func name(on file: borrowing OpenFile) {
    var lock = flock()
    lock.l_type = Int16(F_RDLCK)
    lock.l_whence = Int16(SEEK_SET)
    _ = fcntl(file.descriptor, F_SETLK, &lock)
  }

  /// A process that reads, if another one does; for errors.
  static func holder(at path: String) -> String {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    do {
      let file = try OpenFile(path, O_RDONLY)
      guard fcntl(file.descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK),
        lock.l_pid > 0
      else { return "a process" }
      return "process \(lock.l_pid)"
    } catch {
      return "a process"
    }
  }
}
