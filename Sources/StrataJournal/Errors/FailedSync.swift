import Foundation
import StrataSQLite

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
