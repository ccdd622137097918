import Foundation
import StrataSQLite

/// The directory of temporary files: `TMPDIR`, or that of the system.
///
/// It has the copy from which a store is read whose WAL has commits, the copy on which migrations are planned, and what
/// SQLite sorts. What fails there is no error of the store, so it is `.temporaryFile`, with the directory in its remedy.
package enum TemporaryFolder {
  /// Its path.
  package static var path: String {
    (FileManager.default.temporaryDirectory.path as NSString).standardizingPath
  }

  /// The reason for an error of a file in it.
  package static func reason(_ error: any Error) -> PersistenceError.Reason {
    .temporaryFile((error as? PersistenceError)?.reason.sentence ?? "\(error)")
  }

  /// Runs a closure that works with a file or a folder in it, and reports errors of these as such.
  package static func working<R>(at path: String, _ work: () throws -> R) throws -> R {
    do {
      return try work()
    } catch {
      if isOfDisk(error, at: path) { throw reason(error) }
      throw error
    }
  }

  /// Whether an error is one of the disk, and concerns a path or what is below it.
  private static func isOfDisk(_ error: any Error, at path: String) -> Bool {
    switch error {
    case let error as SystemError: return error.kind == nil && error.path.hasPrefix(path)
    case let error as SQLiteError:
      return error.path.hasPrefix(path)
        && [.full, .ioerr, .cantOpen, .readOnly].contains(error.code.primary)
    case let error as PersistenceError:
      guard error.path.hasPrefix(path) else { return false }
      switch error.reason {
      case .diskFull, .io, .notWritable, .tooManyFiles: return true
      default: return false
      }
    default: return false
    }
  }
}
