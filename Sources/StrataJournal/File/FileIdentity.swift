package import Foundation

/// The device and inode of a file, which identify it whatever its name is.
package struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Whether there is a file at a path.
  package static func exists(_ path: String) -> Bool { FileIdentity(ofFileAt: path) != nil }

  /// The file at a path, or nil if there is none; of a link, the link itself.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// What a file is if it is not a regular one.
  package static func kind(ifNotRegular status: stat) -> String? {
    switch status.st_mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFLNK: "a symbolic link"
    case S_IFIFO: "a FIFO"
    case S_IFSOCK: "a socket"
    default: "a special file"
    }
  }

  /// What is at a path if it is not a regular file; nil if it is one, or there is nothing.
  package static func kind(ifNotRegularAt path: String) -> String? {
    var status = stat()
    return lstat(path, &status) == 0 ? kind(ifNotRegular: status) : nil
  }
}
