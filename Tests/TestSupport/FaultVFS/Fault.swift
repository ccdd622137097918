/// What SQLite and the store ask of a file system, as far as it can be counted and made to fail.
package enum FileOperation: Hashable, Sendable, CaseIterable {
  case open, read, write, truncate, sync, delete, lock, rename, link, makeDirectory
}

/// Which of a database's files an operation is on; `own` are those that are not SQLite's.
package enum FileKind: Hashable, Sendable, CaseIterable {
  case database, wal, journal, other, own
}

/// What a disk can do to whoever asks anything of it.
package enum DiskFault: String, Sendable, CaseIterable {
  /// Any operation fails: `EIO`.
  case failedIO
  /// A write finds no room: `ENOSPC`.
  case noRoom
  /// A write stops half-way, and fails.
  case shortWrite
  /// A sync fails.
  case failedSync

  /// What it strikes; nil for anything but locking.
  var operation: FileOperation? {
    switch self {
    case .failedIO: nil
    case .noRoom, .shortWrite: .write
    case .failedSync: .sync
    }
  }
}

extension FileOperation {
  /// How it fails when the medium does.
  var ioError: FaultCode {
    switch self {
    case .open, .rename, .link, .makeDirectory: .cantOpen
    case .read: .ioerrRead
    case .write: .ioerrWrite
    case .truncate: .ioerrTruncate
    case .sync: .ioerrFsync
    case .delete: .ioerrDelete
    case .lock: .busy
    }
  }
}

/// How long a fault lasts.
package enum FaultDuration: String, Sendable, CaseIterable {
  /// One operation fails, the next one works.
  case once
  /// Every further operation fails, until `heal()`.
  case sticky
}

/// The status a failing operation returns: an extended result code of SQLite.
package struct FaultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  package let rawValue: Int32

  /// Any result code.
  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// `SQLITE_IOERR_READ`.
  package static let ioerrRead = FaultCode(rawValue: 266)
  /// `SQLITE_IOERR_WRITE`.
  package static let ioerrWrite = FaultCode(rawValue: 778)
  /// `SQLITE_IOERR_FSYNC`.
  package static let ioerrFsync = FaultCode(rawValue: 1034)
  /// `SQLITE_IOERR_TRUNCATE`.
  package static let ioerrTruncate = FaultCode(rawValue: 1546)
  /// `SQLITE_IOERR_DELETE`.
  package static let ioerrDelete = FaultCode(rawValue: 2570)
  /// `SQLITE_FULL`.
  package static let full = FaultCode(rawValue: 13)
  /// `SQLITE_CANTOPEN`.
  package static let cantOpen = FaultCode(rawValue: 14)
  /// `SQLITE_BUSY`.
  package static let busy = FaultCode(rawValue: 5)
}

/// A fault that waits for its moment.
struct PendingFault {
  /// Nil for any but locking.
  let operation: FileOperation?
  let kind: FileKind?
  /// Nil for the one that fits the operation.
  let code: FaultCode?
  let isHalfDone: Bool
  let duration: FaultDuration
  var remaining: Int

  func matches(_ operation: FileOperation, _ kind: FileKind) -> Bool {
    (self.operation.map { $0 == operation } ?? (operation != .lock))
      && (self.kind == nil || self.kind == kind)
  }
}
