import Foundation
import StrataBase
import StrataJournal
import StrataSQLite
import StrataStorage

/// A copy of a store in a temporary directory of its own, which only this user can read.
struct ScratchStore {
  let path: StorePath

  /// Makes a copy, runs a closure with it, and removes it.
  ///
  /// O(file).
  ///
  /// - Parameters:
  ///   - original: The store, whose name the copy has.
  ///   - connection: A connection to it, also beside a writer.
  static func with<R>(
    copyOf original: StorePath,
    _ connection: Connection,
    _ work: (ScratchStore) throws -> R
  ) throws -> R {
    let directory = "\(TemporaryFolder.path)/strata-migration-\(Scheduling.uuid().uuidString)"
    guard mkdir(directory, 0o700) == 0 else {
      throw TemporaryFolder.reason(SystemError("mkdir", directory))
    }
    defer { do { try FileManager.default.removeItem(atPath: directory) } catch _ {} }
    let copy = try StorePath("\(directory)/\(original.name)", for: .migrating)
    do {
      return try TemporaryFolder.working(at: directory) {
        try make(copy, of: connection)
        return try work(ScratchStore(path: copy))
      }
    } catch DataMigrationError.notEnoughSpace(let needed, let free) {
      throw PersistenceError.Reason.temporaryFile(
        "the copy and the result need \(needed) bytes, and \(free) are free"
      )
    } catch let error as PersistenceError {
      // The copy is gone when its path is read.
      throw PersistenceError(
        error.operation,
        path: original.file,
        error.reason.replacing(copy, with: original)
      )
    }
  }

  private static func make(_ copy: StorePath, of connection: Connection) throws {
    let file = try NewFile(at: copy, for: .migrating, on: .system)
    try file.createCopy(of: connection).close()
    try file.giveName()
  }
}

extension PersistenceError.Reason {
  /// The same with the folder of the store in place of that of its copy, which is gone when a message is read.
  fileprivate func replacing(_ copy: StorePath, with path: StorePath) -> PersistenceError.Reason {
    func replaced(_ text: String) -> String {
      text.replacing(copy.directory, with: path.directory)
    }
    return switch self {
    case .io(let detail): .io(replaced(detail))
    case .busy(let detail): .busy(replaced(detail))
    case .damaged(let detail): .damaged(replaced(detail))
    default: self
    }
  }
}
