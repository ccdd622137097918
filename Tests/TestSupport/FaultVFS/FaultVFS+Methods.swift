import CStrataSQLite
import Foundation

/// The callbacks of the file system: opening and deleting may fail, the others call the parent.
extension FaultVFS {
  func methods() -> sqlite3_vfs {
    var methods = sqlite3_vfs()
    methods.iVersion = 2
    methods.szOsFile = Int32(FaultFile.realOffset) + parent.pointee.szOsFile
    methods.mxPathname = parent.pointee.mxPathname
    methods.xOpen = { vfs, name, file, flags, granted in
      guard let vfs = FaultVFS.at(vfs), let file else { return SQLITE_CANTOPEN }
      return vfs.open(name, file, flags, granted)
    }
    methods.xDelete = { vfs, name, syncsDirectory in
      guard let vfs = FaultVFS.at(vfs), let name else { return SQLITE_IOERR }
      return vfs.delete(name, syncsDirectory)
    }
    methods.xAccess = { vfs, name, flags, result in
      FaultVFS.at(vfs)?.call(\.xAccess) { $0($1, name, flags, result) } ?? SQLITE_IOERR
    }
    methods.xFullPathname = { vfs, name, count, path in
      FaultVFS.at(vfs)?.call(\.xFullPathname) { $0($1, name, count, path) } ?? SQLITE_CANTOPEN
    }
    methods.xRandomness = { vfs, count, bytes in
      FaultVFS.at(vfs)?.call(\.xRandomness) { $0($1, count, bytes) } ?? 0
    }
    methods.xSleep = { vfs, microseconds in
      FaultVFS.at(vfs)?.recordSleep(microseconds: Int(microseconds))
      return FaultVFS.at(vfs)?.call(\.xSleep) { $0($1, microseconds) } ?? 0
    }
    methods.xCurrentTime = { vfs, time in
      FaultVFS.at(vfs)?.call(\.xCurrentTime) { $0($1, time) } ?? SQLITE_ERROR
    }
    methods.xGetLastError = { vfs, count, text in
      FaultVFS.at(vfs)?.call(\.xGetLastError) { $0($1, count, text) } ?? 0
    }
    methods.xCurrentTimeInt64 = { vfs, time in
      FaultVFS.at(vfs)?.call(\.xCurrentTimeInt64) { $0($1, time) } ?? SQLITE_ERROR
    }
    return methods
  }

  private static func at(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> FaultVFS? {
    vfs?.pointee.pAppData.map { Unmanaged<FaultVFS>.fromOpaque($0).takeUnretainedValue() }
  }

  private func call<Method, R>(
    _ method: KeyPath<sqlite3_vfs, Method?>,
    _ body: (Method, UnsafeMutablePointer<sqlite3_vfs>) -> R
  ) -> R? {
    parent.pointee[keyPath: method].map { body($0, parent) }
  }

  private func open(
    _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>,
    _ flags: Int32,
    _ granted: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    // SQLite closes a file that has methods, even if opening it failed.
    file.pointee.pMethods = nil
    let kind = Self.kind(of: flags)
    if let status = fault(for: .open, in: kind) { return status }
    let real = FaultFile.real(in: file)
    real.pointee.pMethods = nil
    var flags = flags
    if opensReadOnly, kind != .other {
      flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      flags |= SQLITE_OPEN_READONLY
    }
    // One of its name may have been removed by a call that is not watched.
    let isNew = flags & SQLITE_OPEN_CREATE != 0 && name.map { access($0, F_OK) != 0 } ?? false
    let status = parent.pointee.xOpen?(parent, name, real, flags, granted) ?? SQLITE_CANTOPEN
    guard status == SQLITE_OK else {
      if real.pointee.pMethods != nil { _ = real.pointee.pMethods?.pointee.xClose?(real) }
      return status
    }
    let path = kind == .other ? nil : name.map { String(cString: $0) }
    let open = FaultFile(vfs: self, kind: kind, path: path, real: real)
    if let path {
      if isNew { forget(path) }
      follow(path) { open.content() }
    }
    open.install(in: file)
    return SQLITE_OK
  }

  private func delete(_ name: UnsafePointer<CChar>, _ syncsDirectory: Int32) -> Int32 {
    let path = String(cString: name)
    if let status = fault(for: .delete, in: Self.kind(ofPath: path)) { return status }
    let status = parent.pointee.xDelete?(parent, name, syncsDirectory) ?? SQLITE_IOERR
    if status == SQLITE_OK { forget(path) }
    return status
  }

  private static func kind(of flags: Int32) -> FileKind {
    if flags & SQLITE_OPEN_MAIN_DB != 0 { return .database }
    if flags & SQLITE_OPEN_WAL != 0 { return .wal }
    if flags & SQLITE_OPEN_MAIN_JOURNAL != 0 { return .journal }
    return .other
  }

  private static func kind(ofPath path: String) -> FileKind {
    if path.hasSuffix("-wal") { return .wal }
    if path.hasSuffix("-journal") { return .journal }
    return .other
  }
}
