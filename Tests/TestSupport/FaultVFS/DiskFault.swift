/// The ways in which a disk fails.
package enum DiskFault: String, Sendable, CaseIterable {
  /// Any operation fails: `EIO`.
  case failedIO
  /// A write fails because the disk is full: `ENOSPC`.
  case noRoom
  /// A write fails after half of its bytes.
  case shortWrite
  /// A sync fails.
  case failedSync

  /// The operation that fails; nil for all but locking.
  var operation: FileOperation? {
    switch self {
    case .failedIO: nil
    case .noRoom, .shortWrite: .write
    case .failedSync: .sync
    }
  }
}
