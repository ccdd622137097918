import Foundation
import StrataSQLite

/// A POSIX call that failed: the call, its path and its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  let call: String
  let path: String
  package let code: Int32
  /// What is at the path instead of a regular file; nil if that is not the reason.
  package let kind: String?

  package init(_ call: String, _ path: String, code: Int32 = errno) {
    self.call = call
    self.path = path
    self.code = code
    kind = nil
  }

  /// The error for a path at which there is something else than a regular file.
  package init(_ call: String, _ path: String, notRegular kind: String) {
    self.call = call
    self.path = path
    code = EINVAL
    self.kind = kind
  }

  package var description: String {
    if let kind { return "\(path) is \(kind), not a regular file" }
    return "\(call) \(path): \(String(cString: strerror(code)))"
  }
}

/// A sync that failed.
///
/// What it was to write may never reach the medium, although it can still be read and a later sync
/// succeeds.
package enum FailedSync {
  /// Whether an error reports a failed sync.
  package static func matches(_ error: any Error) -> Bool {
    switch error {
    case let error as SQLiteError: [.ioerrFsync, .ioerrDirFsync].contains(error.code)
    case let error as SystemError: error.call == "fsync"
    default: false
    }
  }
}
