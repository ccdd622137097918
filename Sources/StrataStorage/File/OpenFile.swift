import Foundation

/// A POSIX call that failed: which, on what, and why.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  init(_ call: String, _ path: String, code: Int32 = errno) {
    self.call = call
    self.path = path
    self.code = code
  }

  package var description: String { "\(call) \(path): \(String(cString: strerror(code)))" }
}

/// A file descriptor that is closed exactly once.
///
/// Never used on a database, its WAL or its shm, but to read a header while no store of this process
/// has the file open.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  private let disk: Disk

  /// Opens with the given flags and `O_CLOEXEC`; a new file is readable by its owner alone.
  init(_ path: String, _ flags: Int32, on disk: Disk = .system) throws(SystemError) {
    descriptor = Int32(
      try disk.make(.open(path)) { Int(open(path, flags | O_CLOEXEC, 0o600)) }
    )
    self.path = path
    self.disk = disk
  }

  deinit { _ = close(descriptor) }

  /// Reads up to `count` bytes at `offset`; fewer at the end of the file.
  func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try disk.make(.read(path)) {
      bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    }
    return Array(bytes.prefix(got))
  }

  /// Writes all bytes at `offset`; a write that stops on the way is an error.
  func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    if let fault = disk.watch?.fault(before: .write(path, at: offset, bytes)) {
      if fault.isHalfDone { try put(Array(bytes.prefix(bytes.count / 2)), at: offset) }
      throw SystemError("write", path, code: fault.code)
    }
    try put(bytes, at: offset)
  }

  private func put(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, bytes.count, off_t(offset))
    }
    guard count == bytes.count else {
      // One that stops on the way sets no `errno`; the disk is full, as a rule.
      throw SystemError("write", path, code: count < 0 ? errno : ENOSPC)
    }
    disk.watch?.didMake(.write(path, at: offset, bytes))
  }

  func truncate(to size: Int64) throws(SystemError) {
    try disk.make(.truncate(path, size: size)) { Int(ftruncate(descriptor, off_t(size))) }
  }

  /// Returns when what was written is on the medium.
  func sync() throws(SystemError) {
    try disk.make(.sync(path)) {
      #if canImport(Darwin)
        // A plain `fsync` does not reach the medium there; not every file system knows the other.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return Int(fsync(descriptor))
    }
  }

  /// Takes or gives back a lock; false when someone else has it.
  func lock(_ operation: Int32) throws(SystemError) -> Bool {
    do {
      try disk.make(.lock(path)) { Int(flock(descriptor, operation)) }
      return true
    } catch  where error.code == EWOULDBLOCK {
      return false
    }
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

  /// Whether there is a file at a path now.
  static func exists(_ path: String) -> Bool { FileIdentity(ofFileAt: path) != nil }

  /// The file at a path now, or nil when there is none.
  init?(ofFileAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
