package import Foundation
package import StrataSQLite

/// Opens a store for reading without changing it, whether or not a writer has it open, and checks its schema.
///
/// Without a writer, the file is read as immutable. If SQLite's WAL has commits, a ``MergedCopy`` is read instead,
/// because `immutable` silently ignores the WAL. With a writer, the file is read through SQLite read-only, and only
/// the shared-memory file changes.
///
/// A reader does not block a writer: without a writer, it holds a shared lock on the file only while a statement runs.
/// Before each statement it checks whether a writer has opened or closed the file, and opens another connection if
/// so. A statement therefore sees one file; two statements may see two revisions, as they may beside a writer. A
/// ``ReadView`` says up to which revision to read.
///
/// A file that has two names is refused: the lock and the WAL belong to one of them, and the other name
/// shows neither. So are foreign files beside it, which SQLite would follow or write into the file.
package final class ReadAccess {
  package enum Mode: String, Sendable, Codable {
    /// No writer, and nothing in SQLite's WAL: the file itself.
    case atRest
    /// No writer, but commits in SQLite's WAL: a copy of the database with them.
    case copy
    /// A writer has the store open.
    case live
  }

  package let connection: Connection
  package let disk: Disk
  private let reader: FileReader
  /// The head when the file was opened; nil if there is none, or a writer was there.
  private let head: HeadRecord?

  /// How the file is read: as found at the last statement.
  package var mode: Mode { reader.mode }

  /// Whether a writer has or had the file since it was opened.
  package var hadWriter: Bool { mode == .live || reader.changes > 0 }

  package init(
    _ path: StorePath,
    for operation: PersistenceError.Operation = .inspecting,
    on disk: Disk
  ) throws {
    self.disk = disk
    guard try path.fileStatus(operation) != .missing else {
      throw PersistenceError(operation, path: path.file, .missing)
    }
    _ = try path.creationNames(operation)
    try path.checkCompanions(operation)
    let reader = FileReader(path, operation, disk)
    self.reader = reader
    (connection, head) = try reader.open()
    // Only this reader knows the copy, so no writer needs it.
    if reader.mode != .copy { connection.gate = reader }
  }

  /// Compares the head with the position that was read; nil if a writer has or had the file: it is ahead of
  /// what was read, and has checked the head itself.
  package func checkHead(
    of position: Position,
    _ lineages: [Lineage],
    bootID: UUID
  ) -> HeadCheck? {
    hadWriter ? nil : HeadCheck.compare(head, recovered: position, lineages, bootID: bootID)
  }
}

/// Whether a writer has the file, as a reader last saw it, and the lock that the reader holds while it reads.
private final class FileReader: ConnectionGate {
  /// Whether a writer had the file when the connection was opened: the connection is used until this changes.
  private enum Holder: Equatable {
    /// No writer; with what the last one left in the lock file, if there is a lock file.
    case noWriter([UInt8]?)
    case writer([UInt8])
  }

  private let path: StorePath
  private let operation: PersistenceError.Operation
  private let disk: Disk
  private var holder: Holder?
  private var lock: Held?
  private(set) var mode = ReadAccess.Mode.atRest
  private(set) var changes = 0
  /// Whether there may be files that SQLite has made for reading beside a writer.
  private var hasReadLive = false

  /// A shared lock as an object.
  private final class Held {
    let lock: SharedLock

    init(_ lock: consuming SharedLock) { self.lock = lock }
  }

  init(_ path: StorePath, _ operation: PersistenceError.Operation, _ disk: Disk) {
    self.path = path
    self.operation = operation
    self.disk = disk
  }

  /// The connection was closed: it held this object.
  deinit {
    lock = nil
    guard hasReadLive else { return }
    do {
      try removeFilesOfReading()
    } catch {
      // The next writer, or reader that leaves, removes them.
      return
    }
  }

  /// Opens the file, beside its writer if there is one; without a writer, the head is read too.
  func open() throws -> (Connection, HeadRecord?) {
    defer { lock = nil }
    let holder = try look()
    self.holder = holder
    let connection = try connect(for: holder)
    try RestoredFile.check(connection, path, operation)
    return (connection, mode == .live ? nil : try HeadFile.read(path.head, on: disk))
  }

  func willRead(on connection: Connection) throws(SQLiteError) {
    do {
      let holder = try look()
      if holder == self.holder { return }
      let other = try connect(for: holder)
      try RestoredFile.check(other, path, operation)
      connection.become(other)
      (self.holder, changes) = (holder, changes + 1)
      if mode == .copy { connection.gate = nil }
      if mode != .live, hasReadLive {
        hasReadLive = false
        try removeFilesOfReading()
      }
    } catch let error as SQLiteError {
      throw error
    } catch let error as CorruptionError {
      throw failure(.corrupt, error.detail)
    } catch {
      throw failure(.cantOpen, "\(error)", (error as? SystemError)?.code ?? 0)
    }
  }

  func didRead() { lock = nil }

  private func failure(
    _ code: ResultCode,
    _ message: String,
    _ systemErrno: Int32 = 0
  ) -> SQLiteError {
    SQLiteError(
      code: code,
      operation: .open,
      message: message,
      path: path.file,
      systemErrno: systemErrno
    )
  }

  /// Finds out whether a writer has the file; if not, no writer can take it until ``didRead()``.
  ///
  /// A writer that is waiting goes first.
  private func look() throws(SystemError) -> Holder {
    var pauses = 0
    while pauses < 2 * WriterLock.pauses, try LockedMark.isHeld(path.coming) {
      if case .writerPresent(let mark) = try SharedLock.take(path.lock) { return .writer(mark) }
      WriterLock.pause()
      pauses += 1
    }
    switch try SharedLock.take(path.lock) {
    case .writerPresent(let mark): return .writer(mark)
    case .noLockFile: return .noWriter(nil)
    case .acquired(var shared):
      shared.writeName()
      let mark = shared.mark
      lock = Held(shared)
      return .noWriter(mark)
    }
  }

  private func connect(for holder: Holder) throws -> Connection {
    if case .writer = holder {
      mode = .live
      hasReadLive = true
      return try Connection(path: path.file, mode: .readOnly, vfs: disk.vfs)
    }
    try WriterLock.checkHeader(path, StoreFormat.known, for: operation, on: disk)
    if path.walSize > 0, let copy = try MergedCopy.open(path, on: disk) {
      mode = .copy
      return copy
    }
    mode = .atRest
    return try Connection(path: path.file, mode: .immutable, vfs: disk.vfs)
  }

  /// Lets SQLite remove its empty WAL and its shared memory, which a writer cannot do while another process reads.
  ///
  /// SQLite does so if no connection is left. Nothing is written into the database.
  private func removeFilesOfReading() throws {
    if lock != nil { return try path.removeEmptyWAL(on: disk) }
    guard case .acquired(let shared) = try SharedLock.take(path.lock) else { return }
    let held = Held(shared)
    defer { withExtendedLifetime(held) {} }
    try path.removeEmptyWAL(on: disk)
  }
}
