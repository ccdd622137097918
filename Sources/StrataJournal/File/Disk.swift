import Foundation

/// The disk a store is on: the VFS that SQLite uses, and a watch over the system calls of this library.
///
/// Tests inject faults through both. SQLite's files fail through its VFS. The head, the lock, manifests
/// and the moves of whole files are system calls of this library, and go through ``perform(_:_:)``.
/// Without a watch each of them costs one check of an optional.
package struct Disk: Sendable {
  /// The name of the SQLite VFS; nil for the system's.
  package var vfs: String?
  /// Is asked before each call, and notified of each that succeeded.
  package var watch: (any DiskWatch)?
  /// What a sync of SQLite has done when it returns.
  package var sqliteSync = SQLiteSync.system

  /// What a sync of SQLite has done when it returns.
  package enum SQLiteSync: Sendable {
    /// What was written is on the medium.
    case reachesMedium
    /// What was written comes before what is written later. It may still be in the cache of the drive.
    case ordersWrites

    /// Apple's SQLite answers `SQLITE_SYNC_FULL` with `F_BARRIERFSYNC`, not with `F_FULLFSYNC`
    /// (`bonsaidb.io/blog/acid-on-apple`).
    package static var system: SQLiteSync {
      #if canImport(Darwin)
        .ordersWrites
      #else
        .reachesMedium
      #endif
    }
  }

  /// The disk of the system, without a watch.
  package static let system = Disk()

  package init(vfs: String? = nil, watch: (any DiskWatch)? = nil) {
    self.vfs = vfs
    self.watch = watch
  }
}

/// Makes system calls fail, so that tests can see what the store does then.
package protocol DiskWatch: Sendable {
  /// How a call fails; nil if it is to be made.
  func fault(before call: DiskCall) -> DiskCall.Fault?
  /// A call was made and succeeded.
  func didMake(_ call: DiskCall)
}

/// A system call for a file that is not SQLite's.
package enum DiskCall: Sendable {
  case open(String)
  case read(String)
  case write(String, at: Int64, [UInt8])
  case truncate(String, size: Int64)
  case sync(String)
  case lock(String)
  case rename(String, to: String)
  case link(String, to: String)
  case remove(String)
  case makeDirectory(String)

  /// How a call fails.
  package struct Fault: Sendable {
    /// An `errno`.
    package let code: Int32
    /// Whether the first half of a write is written before it fails.
    package let isHalfDone: Bool

    package init(code: Int32, isHalfDone: Bool = false) {
      self.code = code
      self.isHalfDone = isHalfDone
    }
  }

  /// Its names in an error.
  fileprivate var name: (call: String, path: String) {
    switch self {
    case .open(let path): ("open", path)
    case .read(let path): ("read", path)
    case .write(let path, _, _): ("write", path)
    case .truncate(let path, _): ("truncate", path)
    case .sync(let path): ("fsync", path)
    case .lock(let path): ("flock", path)
    case .rename(let path, _): ("rename", path)
    case .link(_, let path): ("link", path)
    case .remove(let path): ("unlink", path)
    case .makeDirectory(let path): ("mkdir", path)
    }
  }
}

extension Disk {
  /// Makes a call that returns -1 when it fails, unless the watch makes it fail.
  @discardableResult
  func perform(
    _ call: @autoclosure () -> DiskCall,
    _ action: () -> Int
  ) throws(SystemError) -> Int {
    guard let watch else {
      let result = action()
      let code = errno
      if result < 0 { throw SystemError(call(), code: code) }
      return result
    }
    let call = call()
    if let fault = watch.fault(before: call) { throw SystemError(call, code: fault.code) }
    let result = action()
    let code = errno
    if result < 0 { throw SystemError(call, code: code) }
    watch.didMake(call)
    return result
  }
}

extension SystemError {
  package init(_ call: DiskCall, code: Int32) {
    self.init(call.name.call, call.name.path, code: code)
  }
}

extension Disk {
  /// Opens a file that is there, with the given flags and `O_CLOEXEC`.
  package func open(_ path: String, _ flags: Int32) throws(SystemError) -> OpenFile {
    try OpenFile(path, flags, on: self)
  }

  package func rename(_ source: String, to destination: String) throws(SystemError) {
    try perform(.rename(source, to: destination)) { Int(Foundation.rename(source, destination)) }
  }

  /// Adds a second name to a file; throws if the name is taken.
  func link(_ source: String, to destination: String) throws(SystemError) {
    try perform(.link(source, to: destination)) { Int(Foundation.link(source, destination)) }
  }

  /// Removes a file; one that is not there counts as removed.
  package func remove(_ path: String) throws(SystemError) {
    try perform(.remove(path)) { Int(unlink(path) == 0 || errno == ENOENT ? 0 : -1) }
  }

  /// Syncs a file, or the renames in a directory.
  package func sync(_ path: String) throws(SystemError) {
    try OpenFile(path, O_RDONLY, expecting: .fileOrDirectory, on: self).sync()
  }

  /// Renames a file to a name that must be free; the old name may stay as a second one.
  ///
  /// A link fails if the name is taken, so nothing is overwritten. On file systems without hard links the
  /// file is renamed after a check; there only the caller's lock prevents a race.
  package func linkOrRename(_ source: String, to destination: String) throws(SystemError) {
    do {
      try link(source, to: destination)
    } catch {
      guard [EPERM, ENOTSUP, EOPNOTSUPP].contains(error.code),
        FileIdentity(ofFileAt: destination) == nil
      else { throw error }
      try rename(source, to: destination)
    }
  }
}

/// The bytes that this user may still write to the file system of a directory; nil where it does not say.
package func freeBytes(in directory: String) -> Int64? {
  var status = statvfs()
  guard statvfs(directory, &status) == 0, let blocks = Int64(exactly: status.f_bavail),
    let size = Int64(exactly: status.f_frsize)
  else { return nil }
  let (bytes, overflows) = blocks.multipliedReportingOverflow(by: size)
  return overflows ? nil : bytes
}
