import Foundation

/// The disk a store is on: what SQLite calls it through, and who watches the calls for the store's
/// own small files.
///
/// SQLite's files fail through its VFS; the head, the lock, manifests and the moves of whole files are
/// system calls of this library, and pass here. Without a watch each costs one test of an optional.
package struct Disk: Sendable {
  /// The SQLite VFS, nil for the system's.
  package var vfs: String?
  /// Asked before each call, and told of those that worked; nil asks nobody.
  package var watch: (any DiskWatch)?

  /// The system's.
  package static let system = Disk()

  package init(vfs: String? = nil, watch: (any DiskWatch)? = nil) {
    self.vfs = vfs
    self.watch = watch
  }
}

/// Who may let system calls fail, so that it can be seen what becomes of the store then.
package protocol DiskWatch: Sendable {
  /// How a call is to fail; nil lets it be made.
  func fault(before call: DiskCall) -> DiskCall.Fault?
  /// A call was made and worked.
  func didMake(_ call: DiskCall)
}

/// A call for a file that is not SQLite's.
package enum DiskCall: Sendable {
  case open(String)
  case read(String)
  case write(String, at: Int64, [UInt8])
  case truncate(String, size: Int64)
  case sync(String)
  case lock(String)
  case rename(String, to: String)
  case link(String, to: String)
  case makeDirectory(String)

  /// How a call fails.
  package struct Fault: Sendable {
    /// An `errno`.
    package let code: Int32
    /// Whether the first half of a write is made all the same.
    package let isHalfDone: Bool

    package init(code: Int32, isHalfDone: Bool = false) {
      self.code = code
      self.isHalfDone = isHalfDone
    }
  }

  /// What it is called in an error.
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
    case .makeDirectory(let path): ("mkdir", path)
    }
  }
}

extension Disk {
  /// Makes a call that gives -1 when it fails, unless the watch lets it fail.
  @discardableResult
  func make(
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
  init(_ call: DiskCall, code: Int32) { self.init(call.name.call, call.name.path, code: code) }
}

extension Disk {
  /// Opens a file with the given flags and `O_CLOEXEC`; a new one is readable by its owner alone.
  func open(_ path: String, _ flags: Int32) throws(SystemError) -> OpenFile {
    try OpenFile(path, flags, on: self)
  }

  func rename(_ source: String, to destination: String) throws(SystemError) {
    try make(.rename(source, to: destination)) { Int(Foundation.rename(source, destination)) }
  }

  /// Gives a file a second name, which must be free.
  func link(_ source: String, to destination: String) throws(SystemError) {
    try make(.link(source, to: destination)) { Int(Foundation.link(source, destination)) }
  }

  /// Makes a directory that its owner alone may enter.
  func makeDirectory(_ path: String) throws(SystemError) {
    try make(.makeDirectory(path)) { Int(mkdir(path, 0o700)) }
  }

  /// Makes a file last, or what was renamed in a directory.
  func sync(_ path: String) throws(SystemError) { try open(path, O_RDONLY).sync() }

  /// Gives a file a name that must be free, and takes the old one or leaves it as a second.
  ///
  /// A link is refused where a file is. Where there are no hard links it is renamed if there is none;
  /// then the lock that the caller holds has to do.
  func giveName(_ destination: String, to source: String) throws(SystemError) {
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
