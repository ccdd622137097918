import Foundation
import StrataBase

/// The mark of a writer that waits until readers release their locks: a file beside the store, which the writer holds
/// locked.
///
/// Readers look for it before each read, and take no lock while it is there. The lock on it ends with the
/// process, so a mark that a crash has left means nothing, and the next writer that waits removes it.
final class WriterMark {
  /// How often a writer tries again while readers hold their locks: for half a second.
  ///
  /// A statement of a reader takes less than 100 ms.
  static let pauses = 500

  /// Waits a millisecond.
  static func pause() { Scheduling.current.block(for: .milliseconds(1)) }

  private let file: OpenFile

  /// Leaves the mark; nil if another writer has left one.
  init?(_ path: StorePath, on disk: Disk) throws(SystemError) {
    let file = try disk.open(path.coming, O_RDWR | O_CREAT)
    guard try file.lock(LOCK_EX | LOCK_NB),
      try file.identity() == FileIdentity(ofFileAt: path.coming)
    else { return nil }
    self.file = file
  }

  deinit {
    _ = unlink(file.path)
    _ = flock(file.descriptor, LOCK_UN)
  }

  /// Whether a writer waits.
  static func isLeft(_ path: StorePath) throws(SystemError) -> Bool {
    guard FileIdentity(ofFileAt: path.coming) != nil else { return false }
    do {
      return try !OpenFile(path.coming, O_RDONLY).lock(LOCK_SH | LOCK_NB)
    } catch  where error.code == ENOENT {
      return false
    }
  }
}
