/// The result of a failed operation: an extended result code of SQLite.
package struct FaultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's number.
  package let rawValue: Int32

  /// Creates a code.
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
