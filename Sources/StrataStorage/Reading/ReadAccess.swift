import Foundation
import StrataSQLite

/// Opens a store for reading without changing it, whether or not a writer has it open.
///
/// Without a writer, the lock is shared, so that none can open the store meanwhile. If SQLite's WAL is
/// empty, the file is read as immutable; otherwise the file and the WAL are copied and the copy is read,
/// because `immutable` silently ignores the WAL. With a writer, the file is read through SQLite
/// read-only, and only the shared-memory file changes.
final class ReadAccess {
  enum Mode: String, Sendable, Codable {
    /// No writer, and nothing in SQLite's WAL: the file itself.
    case atRest
    /// No writer, but commits in SQLite's WAL: a copy of both files.
    case copy
    /// A writer has the store open.
    case live
  }

  let connection: Connection
  let mode: Mode
  let disk: Disk
  /// Keeps writers out while this object lives; nil if there is a writer, or no lock file.
  private let lock: SharedLockHandle?

  init(_ path: StorePath, on disk: Disk) throws {
    self.disk = disk
    guard try path.fileStatus(.inspecting) != .missing else {
      throw PersistenceError(.inspecting, path: path.file, .missing)
    }
    switch try SharedLock.take(path.lock) {
    case .writerPresent:
      lock = nil
      mode = .live
      connection = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      return
    case .acquired(let shared): lock = SharedLockHandle(shared)
    case .noLockFile: lock = nil
    }
    try WriterLock.checkHeader(path, StoreFormat.known, for: .inspecting, on: disk)
    if path.walSize > 0 {
      mode = .copy
      connection = try UnlinkedCopy.open(path, on: disk)
    } else {
      mode = .atRest
      connection = try Connection(path: path.file, mode: .immutable, vfs: disk.vfs)
    }
  }
}

/// A shared lock as an object: held until it is deallocated.
private final class SharedLockHandle: Sendable {
  private let lock: SharedLock

  init(_ lock: consuming SharedLock) { self.lock = lock }
}

/// A copy of a store's file and WAL that is unlinked once it is open: however the process ends, nothing
/// of the store is left in the temporary directory.
private enum UnlinkedCopy {
  private static let pieceSize = 1 << 20

  static func open(_ path: StorePath, on disk: Disk) throws -> Connection {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700]
    )
    // If the removal fails, the system cleans up its temporary directory.
    defer { do { try FileManager.default.removeItem(at: directory) } catch _ {} }
    let file = directory.appendingPathComponent("copy").path
    try copy(path.file, to: file, on: disk)
    try copy(path.wal, to: file + "-wal", on: disk)
    let connection = try Connection(path: file, mode: .readWrite, vfs: disk.vfs)
    connection.checkpointsOnClose = .never
    // SQLite opens the WAL with the first read, and needs no name after that.
    _ = try connection.userVersion()
    return connection
  }

  /// Copies the bytes without the permissions, so that SQLite can write to the copy of a read-only file
  /// when it recovers the WAL.
  ///
  /// No store of this process has the file open, because the lock is shared or does not exist.
  private static func copy(
    _ source: String,
    to destination: String,
    on disk: Disk
  ) throws(SystemError) {
    let from = try disk.open(source, O_RDONLY)
    let to = try disk.open(destination, O_WRONLY | O_CREAT | O_EXCL)
    var offset: Int64 = 0
    while true {
      let piece = try from.read(pieceSize, at: offset)
      if piece.isEmpty { return }
      try to.write(piece, at: offset)
      offset += Int64(piece.count)
    }
  }
}
