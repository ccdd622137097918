import Foundation

/// The device and inode of a file, which identify it whatever its name is.
struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Whether there is a file at a path.
  static func exists(_ path: String) -> Bool { FileIdentity(ofFileAt: path) != nil }

  /// The file at a path, or nil if there is none.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
