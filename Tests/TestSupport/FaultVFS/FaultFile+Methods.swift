import CStrataSQLite

/// The callbacks of an open file.
///
/// Those that access content are counted, may fail, and record changes. The others call the real file.
extension FaultFile {
  static func methods() -> sqlite3_io_methods {
    var methods = sqlite3_io_methods()
    // Version 2 has shared memory, but no memory mapping, which would bypass `xRead` and `xWrite`.
    methods.iVersion = 2
    addContent(to: &methods)
    addLocking(to: &methods)
    addSharedMemory(to: &methods)
    methods.xFileControl = { file, operation, argument in
      FaultFile.at(file)?.call(\.xFileControl) { $0($1, operation, argument) } ?? SQLITE_NOTFOUND
    }
    methods.xSectorSize = { file in FaultFile.at(file)?.call(\.xSectorSize) { $0($1) } ?? 0 }
    methods.xDeviceCharacteristics = { file in
      FaultFile.at(file)?.call(\.xDeviceCharacteristics) { $0($1) } ?? 0
    }
    return methods
  }

  private static func addContent(to methods: inout sqlite3_io_methods) {
    methods.xClose = { file in
      guard let file, let open = FaultFile.at(file) else { return SQLITE_OK }
      let status = open.call(\.xClose) { $0($1) } ?? SQLITE_OK
      FaultFile.uninstall(from: file)
      return status
    }
    methods.xRead = { file, bytes, count, offset in
      guard let open = FaultFile.at(file) else { return SQLITE_IOERR }
      let status = open.perform(.read) { $0.xRead?($1, bytes, count, offset) }
      guard status == SQLITE_OK, let path = open.path else { return status }
      let range = Int(offset)..<Int(offset) + Int(count)
      return open.vfs.canRead(range, of: path) ? status : FaultCode.ioerrRead.rawValue
    }
    methods.xWrite = { file, bytes, count, offset in
      guard let open = FaultFile.at(file), let bytes else { return SQLITE_IOERR }
      let failure = open.vfs.failure(of: .write, in: open.kind)
      if let failure, !failure.isPartial { return failure.status }
      if open.vfs.lies(.losesWrites, in: open.kind) { return SQLITE_OK }
      let count = failure == nil ? count : count / 2
      let offset = open.vfs.lies(.misdirectsWrites, in: open.kind) ? offset + 4096 : offset
      var written = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
      if open.vfs.lies(.flipsBits, in: open.kind), !written.isEmpty { written[Int(count) / 2] ^= 1 }
      let status = open.call(\.xWrite) { $0($1, written, count, offset) } ?? SQLITE_IOERR
      if status == SQLITE_OK, let path = open.path {
        open.vfs.record(.write(offset: Int(offset), bytes: written), in: path)
      }
      return failure?.status ?? status
    }
    methods.xTruncate = { file, size in
      guard let open = FaultFile.at(file) else { return SQLITE_IOERR }
      let status = open.perform(.truncate) { $0.xTruncate?($1, size) }
      if status == SQLITE_OK, let path = open.path {
        open.vfs.record(.truncate(size: Int(size)), in: path)
      }
      return status
    }
    methods.xSync = { file, flags in
      guard let open = FaultFile.at(file) else { return SQLITE_IOERR }
      let status = open.perform(.sync) { $0.xSync?($1, flags) }
      guard let path = open.path, !open.vfs.lies(.forgetsSyncs, in: open.kind) else {
        return status
      }
      if status == SQLITE_OK {
        if !open.vfs.hasDriveCache { open.vfs.recordSync(of: path) }
      } else {
        open.vfs.recordFailedSync(of: path)
      }
      return status
    }
    methods.xFileSize = { file, size in
      FaultFile.at(file)?.call(\.xFileSize) { $0($1, size) } ?? SQLITE_IOERR
    }
  }

  private static func addLocking(to methods: inout sqlite3_io_methods) {
    methods.xLock = { file, level in
      FaultFile.at(file)?.perform(.lock) { $0.xLock?($1, level) } ?? SQLITE_IOERR
    }
    methods.xUnlock = { file, level in
      FaultFile.at(file)?.call(\.xUnlock) { $0($1, level) } ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { file, result in
      FaultFile.at(file)?.call(\.xCheckReservedLock) { $0($1, result) } ?? SQLITE_IOERR
    }
  }

  private static func addSharedMemory(to methods: inout sqlite3_io_methods) {
    methods.xShmMap = { file, page, size, extends, memory in
      FaultFile.at(file)?.call(\.xShmMap) { $0($1, page, size, extends, memory) } ?? SQLITE_IOERR
    }
    methods.xShmLock = { file, offset, count, flags in
      FaultFile.at(file)?.call(\.xShmLock) { $0($1, offset, count, flags) } ?? SQLITE_IOERR
    }
    methods.xShmBarrier = { file in FaultFile.at(file)?.call(\.xShmBarrier) { $0($1) } }
    methods.xShmUnmap = { file, deletes in
      FaultFile.at(file)?.call(\.xShmUnmap) { $0($1, deletes) } ?? SQLITE_IOERR
    }
  }

  /// Calls a method of the real file; returns nil if the file does not have it.
  private func call<Method, R>(
    _ method: KeyPath<sqlite3_io_methods, Method?>,
    _ body: (Method, UnsafeMutablePointer<sqlite3_file>) -> R
  ) -> R? {
    real.pointee.pMethods?.pointee[keyPath: method].map { body($0, real) }
  }

  /// Counts an operation, and runs it on the real file unless it is to fail.
  private func perform(
    _ operation: FileOperation,
    _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?
  ) -> Int32 {
    if let status = vfs.fault(for: operation, in: kind) { return status }
    return real.pointee.pMethods.flatMap { body($0.pointee, real) } ?? SQLITE_IOERR
  }
}
