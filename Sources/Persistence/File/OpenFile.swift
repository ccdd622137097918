import Foundation

/// A POSIX call that failed: which, on what, and why.
struct SystemError: Error, Equatable, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  init(_ call: String, _ path: String) {
    self.call = call
    self.path = path
    code = errno
  }

  var description: String { "\(call) \(path): \(String(cString: strerror(code)))" }
}

/// A file descriptor that is closed exactly once.
///
/// Never used on a database, its WAL or its shm.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String

  /// Opens with the given flags and `O_CLOEXEC`; a new file is readable by its owner alone.
  init(_ path: String, _ flags: Int32) throws(SystemError) {
    descriptor = open(path, flags | O_CLOEXEC, 0o600)
    self.path = path
    if descriptor < 0 { throw SystemError("open", path) }
  }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  /// Reads up to `count` bytes at `offset`; fewer at the end of the file.
  func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes {
      pread(descriptor, $0.baseAddress, count, off_t(offset))
    }
    if got < 0 { throw SystemError("read", path) }
    return Array(bytes.prefix(got))
  }

  /// Writes all bytes at `offset`.
  func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    let put = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, bytes.count, off_t(offset))
    }
    if put != bytes.count { throw SystemError("write", path) }
  }

  func truncate(to size: Int64) throws(SystemError) {
    if ftruncate(descriptor, off_t(size)) != 0 { throw SystemError("truncate", path) }
  }

  func sync() throws(SystemError) {
    if fsync(descriptor) != 0 { throw SystemError("fsync", path) }
  }

  /// Device and inode: which file it is, whatever it is called.
  func identity() throws(SystemError) -> FileIdentity {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw SystemError("stat", path) }
    return FileIdentity(status)
  }
}

/// Which file it is, whatever it is called.
struct FileIdentity: Equatable {
  let device: UInt64
  let inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// The file at a path now, or nil when there is none.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
