import Foundation
import StrataSQLite

/// A way to read a store that changes nothing of it, whoever else has it open.
///
/// While no writer is there, the lock is shared so that none can come: with nothing in SQLite's WAL
/// the file is read as immutable; else file and WAL are copied and the copy is read. (`immutable`
/// ignores the WAL without a word.) With a writer there, the file is read through SQLite read-only,
/// and only the shared-memory file changes.
final class ReadAccess {
  enum Mode: String, Sendable, Codable {
    /// No writer; the file as it lies.
    case atRest
    /// No writer, but commits in SQLite's WAL: a copy of both.
    case copy
    /// A writer is at work.
    case live
  }

  let connection: Connection
  let mode: Mode
  let disk: Disk
  /// Keeps writers away for as long as this lives; nothing to hold when no lock file exists.
  private let hold: SharedHold?

  init(_ path: StorePath, on disk: Disk) throws {
    self.disk = disk
    guard try path.occupant(.inspecting) != .nothing else {
      throw PersistenceError(.inspecting, path: path.file, .missing)
    }
    switch try SharedLock.take(path.lock) {
    case .writerPresent:
      hold = nil
      mode = .live
      connection = try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
      return
    case .held(let lock): hold = SharedHold(lock)
    case .noLockFile: hold = nil
    }
    do {
      try WriterLock.checkHeader(path, StoreFormat.known, on: disk)
    } catch {
      throw PersistenceError(.inspecting, path: path.file, error.reason)
    }
    if path.walSize > 0 {
      mode = .copy
      connection = try UnlinkedCopy.open(path, on: disk)
    } else {
      mode = .atRest
      connection = try Connection(path: path.file, mode: .immutable, vfs: disk.vfs)
    }
  }
}

/// A share of the lock as an object.
private final class SharedHold: Sendable {
  private let lock: SharedLock

  init(_ lock: consuming SharedLock) { self.lock = lock }
}

/// A copy of a store's file and WAL that has no name any more once it is open: however the process
/// ends, nothing of the store stays in the temporary directory.
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
    // What cannot be removed from the temporary directory is the system's to remove.
    defer { do { try FileManager.default.removeItem(at: directory) } catch _ {} }
    let file = directory.appendingPathComponent("copy").path
    try copy(path.file, to: file, on: disk)
    try copy(path.wal, to: file + "-wal", on: disk)
    let connection = try Connection(path: file, mode: .readWrite, vfs: disk.vfs)
    connection.checkpointsOnClose = .never
    // SQLite opens the WAL with the first read, and looks for no name after it.
    _ = try connection.userVersion()
    return connection
  }

  /// Copies the bytes and not the permissions: a file that may only be read has a copy that SQLite
  /// can recover.
  ///
  /// No store of this process has the file open, as the lock is shared or was never made.
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
