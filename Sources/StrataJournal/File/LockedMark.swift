import Foundation
import StrataBase

/// A file that says by its lock that something is going on: a writer waits for readers, or a file beside it is being made.
///
/// It is removed when it is deallocated. The lock ends with the process, so a mark that a crash has left means
/// nothing, and the next one at the path takes it over.
///
/// What is marked is never locked itself if SQLite opens it: on Apple's systems a lock of `flock` excludes the locks that
/// SQLite takes with `fcntl`, also within one process, as the kernel has one list of locks for each file
/// (`bsd/kern/kern_lockf.c` of XNU).
package final class LockedMark: Sendable {
  private let file: OpenFile

  /// Leaves a mark; nil if another one is held, or its holder has just removed it.
  package init?(_ path: String, like owner: FileOwner?, on disk: Disk) throws(SystemError) {
    let file = try disk.openOrCreate(path, like: owner)
    guard try file.lock(LOCK_EX | LOCK_NB),
      try file.identity() == FileIdentity(ofFileAt: path)
    else { return nil }
    self.file = file
  }

  deinit {
    _ = unlink(file.path)
    _ = flock(file.descriptor, LOCK_UN)
  }

  /// Whether a mark is held.
  ///
  /// A file without a lock means nothing.
  package static func isHeld(_ path: String) throws(SystemError) -> Bool {
    guard FileIdentity(ofFileAt: path) != nil else { return false }
    do {
      return try !OpenFile(path, O_RDONLY).lock(LOCK_SH | LOCK_NB)
    } catch  where error.code == ENOENT {
      return false
    }
  }
}
