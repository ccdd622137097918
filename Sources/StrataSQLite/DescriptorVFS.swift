import CStrataSQLite
import Foundation

/// Lets SQLite read a file that has no name, by its descriptor.
///
/// The path is the number of the descriptor, of which SQLite gets a duplicate. The file is read only and is
/// treated as one that cannot change, so no lock, journal or WAL is involved.
enum DescriptorVFS {
  private static let name = "strata-descriptor"

  /// The path under which a descriptor of this process is opened.
  static func path(of descriptor: Int32) -> String { "/\(descriptor)" }

  /// Its name, under which it is registered once per process; nil where SQLite cannot register it.
  static let registered: String? = {
    guard let system = sqlite3_vfs_find(nil) else { return nil }
    // SQLite refers to it until the process ends. What is not replaced is the system's.
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: system.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.szOsFile = Int32(MemoryLayout<DescriptorFile>.size)
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.xFullPathname = { _, path, capacity, result in
      guard let path, let result, strlen(path) < Int(capacity) else { return SQLITE_CANTOPEN }
      strcpy(result, path)
      return SQLITE_OK
    }
    vfs.pointee.xAccess = { _, _, _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: DescriptorFile.methods())
    vfs.pointee.pAppData = UnsafeMutableRawPointer(methods)
    vfs.pointee.xOpen = { vfs, path, file, _, flags in
      DescriptorFile.open(path, file, flags, vfs?.pointee.pAppData)
    }
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : nil
  }()
}

/// A file of ``DescriptorVFS``; SQLite allocates it and knows its first field only.
private struct DescriptorFile {
  var base: sqlite3_file
  var descriptor: Int32

  private static func descriptor(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
    file?.withMemoryRebound(to: DescriptorFile.self, capacity: 1) { $0.pointee.descriptor } ?? -1
  }

  static func open(
    _ path: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ flags: UnsafeMutablePointer<Int32>?,
    _ methods: UnsafeMutableRawPointer?
  ) -> Int32 {
    // Without methods SQLite does not close the file.
    file?.pointee.pMethods = nil
    guard let path, let file, let number = Int32(String(cString: path).dropFirst()) else {
      return SQLITE_CANTOPEN
    }
    let duplicate = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard duplicate >= 0 else { return SQLITE_CANTOPEN }
    file.withMemoryRebound(to: DescriptorFile.self, capacity: 1) {
      $0.initialize(
        to: DescriptorFile(
          base: sqlite3_file(
            pMethods: UnsafePointer(methods?.assumingMemoryBound(to: sqlite3_io_methods.self))
          ),
          descriptor: duplicate
        )
      )
    }
    flags?.pointee = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB
    return SQLITE_OK
  }

  /// The methods of a file that is only read; the codes are SQLite's extended ones.
  static func methods() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    methods.iVersion = 1
    methods.xClose = {
      close(DescriptorFile.descriptor($0)) == 0 ? SQLITE_OK : ResultCode.ioerrClose.rawValue
    }
    methods.xRead = { file, buffer, count, offset in
      guard let buffer else { return ResultCode.ioerrRead.rawValue }
      var done = 0
      while done < Int(count) {
        let read = pread(
          DescriptorFile.descriptor(file),
          buffer + done,
          Int(count) - done,
          off_t(offset) + off_t(done)
        )
        if read < 0, errno == EINTR { continue }
        if read < 0 { return ResultCode.ioerrRead.rawValue }
        if read == 0 { break }
        done += read
      }
      guard done < Int(count) else { return SQLITE_OK }
      memset(buffer + done, 0, Int(count) - done)
      return ResultCode.ioerrShortRead.rawValue
    }
    methods.xWrite = { _, _, _, _ in SQLITE_READONLY }
    methods.xTruncate = { _, _ in SQLITE_READONLY }
    methods.xSync = { _, _ in SQLITE_OK }
    methods.xFileSize = { file, size in
      var status = stat()
      guard fstat(DescriptorFile.descriptor(file), &status) == 0 else {
        return ResultCode.ioerrFstat.rawValue
      }
      size?.pointee = sqlite3_int64(status.st_size)
      return SQLITE_OK
    }
    methods.xLock = { _, _ in SQLITE_OK }
    methods.xUnlock = { _, _ in SQLITE_OK }
    methods.xCheckReservedLock = { _, result in
      result?.pointee = 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_IMMUTABLE }
    return methods
  }
}
