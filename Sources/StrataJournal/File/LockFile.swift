package import Foundation
import StrataBase

/// The lock of a store's writer: a file beside the store, locked with `flock`.
///
/// The file names its owner, for people. The lock itself is the kernel's and ends with the process. The file
/// is not unlinked, or two processes could each hold "the" lock on different inodes; only a refused opening
/// removes the file that it has created, while it holds the lock. So the inode is compared again after
/// locking.
///
/// The second line differs each time, so that a reader notices a writer that came and left.
package struct LockFile: ~Copyable {
  private let file: OpenFile

  /// The process that holds the lock.
  package struct Owner: Equatable, CustomStringConvertible {
    let process: Int32
    let host: String
    let started: Date

    package static func current(started: Date) -> Owner {
      // `ProcessInfo.hostName` may ask the network; this does not.
      var name = [CChar](repeating: 0, count: 256)
      let code = gethostname(&name, name.count - 1)
      let host =
        code == 0
        ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        : "this host"
      return Owner(process: getpid(), host: host, started: started)
    }

    package var description: String {
      "process \(process) on \(host) since \(started.formatted(.iso8601))"
    }
  }

  /// Takes the lock of a store, or returns nil if it is taken.
  package init?(
    of store: StorePath,
    as owner: Owner,
    on disk: Disk = .system
  ) throws(SystemError) {
    let path = store.lock
    while true {
      let file = try disk.openOrCreate(path, like: store.owner)
      guard try file.lock(LOCK_EX | LOCK_NB) else { return nil }
      guard try file.identity() == FileIdentity(ofFileAt: path) else { continue }
      try file.truncate(to: 0)
      try file.write(Array("\(owner)\n\(Scheduling.uuid().uuidString)\n".utf8), at: 0)
      self.file = file
      return
    }
  }

  /// Whether the lock file still has its name: without it, another writer can lock another file.
  var isInPlace: Bool {
    // A file that cannot be examined counts as gone.
    do { return try file.identity() == FileIdentity(ofFileAt: file.path) } catch _ { return false }
  }

  /// Removes the file: for a caller that made it and has written nothing.
  func remove() { _ = unlink(file.path) }

  /// Unlocks before the descriptor is closed: a process that was forked meanwhile also holds the
  /// descriptor until it executes another program, and would keep the lock until then.
  deinit { _ = flock(file.descriptor, LOCK_UN) }

  /// The owner that the lock file at `path` names; `an unknown process` if it names none.
  package static func owner(at path: String) -> String {
    guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(256, at: 0),
      let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
    else { return "an unknown process" }
    return String(line)
  }
}

/// The writer's lock as an object: held until it is deallocated.
package final class LockHandle: Sendable {
  private let lock: LockFile

  package init(_ lock: consuming LockFile) { self.lock = lock }

  /// Whether the lock file still has its name.
  package var isInPlace: Bool { lock.isInPlace }

  /// Removes the file: for a caller that made it and has written nothing.
  package func remove() { lock.remove() }
}
