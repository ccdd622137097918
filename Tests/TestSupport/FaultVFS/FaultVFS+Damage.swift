import CStrataSQLite
import StrataBase

/// What a medium does to bytes that were written well.
extension FaultVFS {
  /// One bit of a file changes, whether or not a program has the file open; false if the file has no such byte.
  package func rot(_ path: String, at offset: Int, bit: Int) -> Bool {
    let changed = withMedium(path) { file, methods in
      var byte: UInt8 = 0
      guard methods.xRead?(file, &byte, 1, Int64(offset)) == SQLITE_OK else { return false }
      byte ^= 1 << bit
      return methods.xWrite?(file, &byte, 1, Int64(offset)) == SQLITE_OK
    }
    guard changed == true else { return false }
    state.withLock { $0.images[path]?.rot(at: offset, bit: bit) }
    return true
  }

  /// A sector of a file cannot be read until it is written again, or the disk is healed.
  package func loseSector(of path: String, at offset: Int) {
    state.withLock { $0.loseSector(at: offset, of: path) }
  }

  /// The bytes of a file; 0 if it is not there.
  package func size(of path: String) -> Int {
    let size = withMedium(path) { file, methods in
      var size: sqlite3_int64 = 0
      return methods.xFileSize?(file, &size) == SQLITE_OK ? Int(size) : 0
    }
    return size ?? 0
  }

  /// Opens a file beside the programs that use it; nil if it is not there.
  ///
  /// SQLite's own file system does that: closing a file in another way would drop the locks of the whole process.
  private func withMedium<R>(
    _ path: String,
    _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> R
  ) -> R? {
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Int(parent.pointee.szOsFile),
      alignment: 16
    )
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Int(parent.pointee.szOsFile))
    let file = memory.assumingMemoryBound(to: sqlite3_file.self)
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MAIN_DB
    // SQLite keeps the name as long as the file is open, and expects one more zero after it.
    return (path + "\0").withCString { name in
      guard parent.pointee.xOpen?(parent, name, file, flags, nil) == SQLITE_OK,
        let methods = file.pointee.pMethods?.pointee
      else { return nil }
      defer { _ = methods.xClose?(file) }
      return body(file, methods)
    }
  }
}
