/// The operations of a file system that can be counted and made to fail.
package enum FileOperation: Hashable, Sendable, CaseIterable {
  case open, read, write, truncate, sync, delete, lock, rename, link, makeDirectory
}

extension FileOperation {
  /// The result of the operation when the medium fails.
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
