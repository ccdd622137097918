import Foundation
import StrataSQLite

/// A way to read a store that changes nothing of it, whoever else has it open.
///
/// While no writer is there, the lock is shared so that none can come: with nothing in SQLite's WAL
/// the file is read as immutable; else file and WAL are copied and the copy is read. (`immutable`
/// ignores the WAL without a word.) With a writer there, the file is read through SQLite read-only,
/// and only the shared-memory file changes.
final class ReadAccess {
  enum Manner: String, Sendable, Codable {
    /// No writer; the file as it lies.
    case atRest
    /// No writer, but commits in SQLite's WAL: a copy of both.
    case copy
    /// A writer is at work.
    case live
  }

  let connection: Connection
  let manner: Manner
  /// Keeps writers away for as long as this lives; nothing to hold when no lock file exists.
  private let hold: SharedHold?
  private let copy: TemporaryCopy?

  init(_ path: StorePath) throws {
    guard try path.occupant(.inspecting) != .nothing else {
      throw PersistenceError(.inspecting, path: path.file, .missing)
    }
    switch try SharedLock.take(path.lock) {
    case .writerPresent:
      hold = nil
      copy = nil
      manner = .live
      connection = try Connection(path: path.file, mode: .readOnly)
      return
    case .held(let lock): hold = SharedHold(lock)
    case .noLockFile: hold = nil
    }
    do {
      try StoreGate.checkHeader(path, StoreFormat.known)
    } catch {
      throw PersistenceError(.inspecting, path: path.file, error.reason)
    }
    guard path.walSize > 0 else {
      copy = nil
      manner = .atRest
      connection = try Connection(path: path.file, mode: .immutable)
      return
    }
    let copy = try TemporaryCopy(of: path)
    self.copy = copy
    manner = .copy
    connection = try Connection(path: copy.path.file, mode: .readWrite)
    connection.checkpointsOnClose = .never
  }
}

/// A share of the lock as an object.
private final class SharedHold: Sendable {
  private let lock: SharedLock

  init(_ lock: consuming SharedLock) { self.lock = lock }
}

/// A copy of a store's file and WAL that goes away with this object.
private final class TemporaryCopy: Sendable {
  let path: StorePath
  private let directory: URL

  init(of path: StorePath) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    let file = directory.appendingPathComponent("copy").path
    try FileManager.default.copyItem(atPath: path.file, toPath: file)
    try FileManager.default.copyItem(atPath: path.wal, toPath: file + "-wal")
    self.path = try StorePath(file, for: .inspecting)
  }

  deinit {
    // What cannot be removed from the temporary directory is the system's to remove.
    do { try FileManager.default.removeItem(at: directory) } catch _ {}
  }
}
