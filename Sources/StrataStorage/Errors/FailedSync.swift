import Foundation
import StrataSQLite

/// A sync that failed: whatever it was to save may never get to the medium, though it can be read and
/// a later sync works.
enum FailedSync {
  /// Whether an error says so.
  static func isMeant(by error: any Error) -> Bool {
    switch error {
    case let error as SQLiteError: [.ioerrFsync, .ioerrDirFsync].contains(error.code)
    case let error as SystemError: error.call == "fsync"
    default: false
    }
  }
}
