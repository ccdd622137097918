import Foundation

/// The right to write a store: a file beside it, locked with `flock`.
///
/// It holds who has it, for people; the lock itself is the kernel's and goes with the process. The
/// file is never unlinked, or two processes could each hold "the" lock on different inodes; the
/// inode is compared again after locking, in case someone else unlinked it.
struct LockFile: ~Copyable {
  private let file: OpenFile

  /// Who locks.
  struct Owner: Equatable, CustomStringConvertible {
    let process: Int32
    let host: String
    let started: Date

    static func current(started: Date) -> Owner {
      // `ProcessInfo.hostName` may ask the network; this does not.
      var name = [CChar](repeating: 0, count: 256)
      let code = gethostname(&name, name.count - 1)
      let host =
        code == 0
        ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        : "this host"
      return Owner(process: getpid(), host: host, started: started)
    }

    var description: String {
      "process \(process) on \(host) since \(started.formatted(.iso8601))"
    }
  }

  /// Takes the lock at `path`, or gives nil when someone else has it.
  init?(
    taking path: String,
    as owner: Owner,
    on disk: Disk = .system
  ) throws(SystemError) {
    while true {
      let file = try disk.open(path, O_RDWR | O_CREAT)
      guard try file.lock(LOCK_EX | LOCK_NB) else { return nil }
      guard try file.identity() == FileIdentity(ofFileAt: path) else { continue }
      try file.truncate(to: 0)
      try file.write(Array("\(owner)\n".utf8), at: 0)
      self.file = file
      return
    }
  }

  /// Unlocks, and not only closes: a process that was forked meanwhile holds the descriptor too until
  /// it becomes another program, and the lock would last as long.
  deinit { _ = flock(file.descriptor, LOCK_UN) }

  /// What the lock file at `path` says about its owner; a guess when it says nothing.
  static func owner(at path: String) -> String {
    guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(256, at: 0),
      let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
    else { return "an unknown process" }
    return String(line)
  }
}

/// The writer's lock, held for as long as this object lives.
final class HeldLock: Sendable {
  private let lock: LockFile

  init(_ lock: consuming LockFile) { self.lock = lock }
}

/// A reader's share of the lock: while it is held there is no writer and none can come.
struct SharedLock: ~Copyable {
  private let file: OpenFile

  /// What stands in the way of reading a file at rest.
  enum Outcome: ~Copyable {
    case held(SharedLock)
    /// There is no lock file: nobody ever wrote here under this name.
    case noLockFile
    case writerPresent
  }

  private init(_ file: consuming OpenFile) { self.file = file }

  deinit { _ = flock(file.descriptor, LOCK_UN) }

  /// Takes a share without creating or changing anything.
  static func take(_ path: String) throws(SystemError) -> Outcome {
    guard FileIdentity(ofFileAt: path) != nil else { return .noLockFile }
    let file = try OpenFile(path, O_RDONLY)
    guard try file.lock(LOCK_SH | LOCK_NB) else { return .writerPresent }
    return .held(SharedLock(file))
  }
}
