import Foundation

/// A file descriptor that is closed exactly once.
///
/// Not to be used on a database, its WAL or its shared memory while a store of this process has it open:
/// closing a descriptor drops every POSIX lock of the process on the file.
struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  private let disk: Disk

  /// Opens with the given flags and `O_CLOEXEC`; only its owner can read a new file.
  init(_ path: String, _ flags: Int32, on disk: Disk = .system) throws(SystemError) {
    descriptor = Int32(
      try disk.perform(.open(path)) { Int(open(path, flags | O_CLOEXEC, 0o600)) }
    )
    self.path = path
    self.disk = disk
  }

  deinit { _ = close(descriptor) }

  /// Reads up to `count` bytes at `offset`: fewer at the end of the file.
  func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let count = try disk.perform(.read(path)) {
      bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    }
    return Array(bytes.prefix(count))
  }

  /// Writes all bytes at `offset`; a short write is an error.
  func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    if let fault = disk.watch?.fault(before: .write(path, at: offset, bytes)) {
      if fault.isHalfDone { try writeAll(Array(bytes.prefix(bytes.count / 2)), at: offset) }
      throw SystemError("write", path, code: fault.code)
    }
    try writeAll(bytes, at: offset)
  }

  private func writeAll(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    let count = bytes.withUnsafeBytes {
      pwrite(descriptor, $0.baseAddress, bytes.count, off_t(offset))
    }
    guard count == bytes.count else {
      // A short write sets no `errno`. As a rule the disk is full.
      throw SystemError("write", path, code: count < 0 ? errno : ENOSPC)
    }
    disk.watch?.didMake(.write(path, at: offset, bytes))
  }

  func truncate(to size: Int64) throws(SystemError) {
    try disk.perform(.truncate(path, size: size)) { Int(ftruncate(descriptor, off_t(size))) }
  }

  /// Returns when everything written is on the medium.
  func sync() throws(SystemError) {
    try disk.perform(.sync(path)) {
      #if canImport(Darwin)
        // A plain `fsync` does not reach the medium on Darwin; not every file system has `F_FULLFSYNC`.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return Int(fsync(descriptor))
    }
  }

  /// Takes or releases a lock; false if it is held elsewhere.
  func lock(_ operation: Int32) throws(SystemError) -> Bool {
    do {
      try disk.perform(.lock(path)) { Int(flock(descriptor, operation)) }
      return true
    } catch  where error.code == EWOULDBLOCK {
      return false
    }
  }

  /// The device and inode of the file.
  func identity() throws(SystemError) -> FileIdentity {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw SystemError("stat", path) }
    return FileIdentity(status)
  }
}
