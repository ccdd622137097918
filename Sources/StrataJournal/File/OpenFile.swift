package import Foundation
import StrataBase

/// A file descriptor that is closed exactly once.
///
/// Not to be used on a database, its WAL or its shared memory while a store of this process has it open:
/// closing a descriptor drops every POSIX lock of the process on the file.
package struct OpenFile: ~Copyable {
  let descriptor: Int32
  let path: String
  private let disk: Disk

  /// What may be at a path that is opened.
  package enum Kind {
    case regularFile
    case fileOrDirectory
  }

  /// The call of a ``SystemError`` for a file that cannot be opened for reading.
  static let openingForReading = "open for reading"

  /// Opens with the given flags and `O_CLOEXEC`; only its user can read a new file, which `Disk.create` makes.
  ///
  /// Links are not followed, and FIFOs are not waited for. A file that is written to must have no other name.
  ///
  /// - Throws: for anything other than a regular file, an error with its `kind`.
  package init(
    _ path: String,
    _ flags: Int32,
    expecting kind: Kind = .regularFile,
    on disk: Disk = .system
  ) throws(SystemError) {
    descriptor = try Self.descriptor(path, flags, expecting: kind, on: disk)
    self.path = path
    self.disk = disk
  }

  private static func descriptor(
    _ path: String,
    _ flags: Int32,
    expecting kind: Kind,
    on disk: Disk
  ) throws(SystemError) -> Int32 {
    let isReading = flags & O_ACCMODE == O_RDONLY
    let descriptor: Int
    do {
      descriptor = try disk.perform(.open(path)) {
        Int(open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600))
      }
    } catch {
      if error.code == ELOOP { throw SystemError("open", path, notRegular: "a symbolic link") }
      throw isReading ? SystemError(openingForReading, path, code: error.code) : error
    }
    var status = stat()
    guard fstat(Int32(descriptor), &status) == 0,
      let other = refusal(of: status, kind, isReading)
    else { return Int32(descriptor) }
    _ = close(Int32(descriptor))
    throw SystemError("open", path, notRegular: other)
  }

  private static func refusal(of status: stat, _ kind: Kind, _ isReading: Bool) -> String? {
    if kind == .fileOrDirectory, status.st_mode & S_IFMT == S_IFDIR { return nil }
    if let other = FileIdentity.kind(ifNotRegular: status) { return other }
    return isReading || status.st_nlink <= 1 ? nil : "one of several names of a file"
  }

  /// Creates a file without a name, which is gone once it is closed, however the process ends.
  ///
  /// It has a name only between two calls, in which this thread accepts no signal.
  static func unnamed(in directory: String, on disk: Disk) throws(SystemError) -> OpenFile {
    let path = directory + "/strata-\(Scheduling.uuid().uuidString)"
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL, on: disk)
    _ = unlink(path)
    return file
  }

  deinit { _ = close(descriptor) }

  /// Reads up to `count` bytes at `offset`: fewer at the end of the file.
  package func read(_ count: Int, at offset: Int64) throws(SystemError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let count = try disk.perform(.read(path)) {
      bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    }
    return Array(bytes.prefix(count))
  }

  /// Writes all bytes at `offset`.
  package func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    if let fault = disk.watch?.fault(before: .write(path, at: offset, bytes)) {
      if fault.isHalfDone { try writeAll(Array(bytes.prefix(bytes.count / 2)), at: offset) }
      throw SystemError("write", path, code: fault.code)
    }
    try writeAll(bytes, at: offset)
  }

  private func writeAll(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(
          descriptor,
          $0.baseAddress?.advanced(by: done),
          bytes.count - done,
          off_t(offset) + off_t(done)
        )
      }
      // A short write sets no `errno`: the next one says why, such as a full disk or a limit of the process.
      if count < 0 { throw SystemError("write", path, code: errno) }
      if count == 0 { throw SystemError("write", path, code: ENOSPC) }
      done += count
    }
    disk.watch?.didMake(.write(path, at: offset, bytes))
  }

  func truncate(to size: Int64) throws(SystemError) {
    try disk.perform(.truncate(path, size: size)) { Int(ftruncate(descriptor, off_t(size))) }
  }

  /// Returns when everything written is on the medium.
  package func sync() throws(SystemError) {
    try disk.perform(.sync(path)) {
      #if canImport(Darwin)
        // A plain `fsync` does not reach the medium on Darwin; not every file system has `F_FULLFSYNC`.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      #endif
      return Int(fsync(descriptor))
    }
  }

  /// Takes or releases a lock; false if it is held elsewhere.
  package func lock(_ operation: Int32) throws(SystemError) -> Bool {
    do {
      try disk.perform(.lock(path)) { Int(flock(descriptor, operation)) }
      return true
    } catch  where error.code == EWOULDBLOCK {
      return false
    }
  }

  /// The bytes from an offset on that are not in a hole of the file: the next run of them, before `end`.
  ///
  /// Nil if only holes are left. On file systems without holes it is the rest. So it is on Apple's systems: APFS has
  /// called a hole what was written and not yet on the medium (coreutils, pull request 68; QEMU, bug 1776920).
  func data(from offset: Int64, to end: Int64) -> Range<Int64>? {
    guard offset < end else { return nil }
    #if canImport(Darwin)
      return offset..<end
    #else
      let (data, hole) = (Int32(3), Int32(4))
      let start = Int64(lseek(descriptor, off_t(offset), data))
      if start < 0 { return errno == ENXIO ? nil : offset..<end }
      let stop = Int64(lseek(descriptor, off_t(start), hole))
      let last = stop < 0 ? end : min(stop, end)
      return start < last ? start..<last : nil
    #endif
  }

  /// What the file system says of the file.
  package func status() throws(SystemError) -> stat {
    var status = stat()
    if fstat(descriptor, &status) != 0 { throw SystemError("stat", path) }
    return status
  }

  /// The size of the file.
  package func size() throws(SystemError) -> Int64 { Int64(try status().st_size) }

  /// The bytes that the file takes on its disk: without its holes.
  func allocatedSize() throws(SystemError) -> Int64 { Int64(try status().st_blocks) * 512 }

  /// Whether it is a database, or an empty file, and has one name.
  package func isUnfinishedDatabase() throws(SystemError) -> Bool {
    let magic = Array("SQLite format 3\0".utf8)
    let start = try read(magic.count, at: 0)
    return try status().st_nlink == 1 && (start.isEmpty || start == magic)
  }

  /// The device and inode of the file.
  package func identity() throws(SystemError) -> FileIdentity { FileIdentity(try status()) }

  /// Sets when the file was written.
  package func setTime(_ date: Date) throws(SystemError) {
    let microseconds = date.nearestMicrosecond
    let time = timespec(
      tv_sec: Int(microseconds / 1_000_000),
      tv_nsec: Int(microseconds % 1_000_000) * 1_000
    )
    if futimens(descriptor, [time, time]) != 0 { throw SystemError("futimens", path) }
  }
}
