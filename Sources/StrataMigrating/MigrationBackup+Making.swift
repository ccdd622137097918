import Foundation
import StrataBase
import StrataJournal
import StrataSQLite
import StrataStorage

extension MigrationBackup {
  /// The path of a copy of a position that is there already; nil if there is none.
  ///
  /// O(file): the copy is verified again.
  func find(at position: Position) throws -> String? {
    for attempt in 1... {
      let backup = try StorePath(name(position, attempt), for: .backingUp)
      if try backup.fileStatus(.backingUp) == .missing { return nil }
      if isCopy(backup, of: position) { return backup.file }
    }
    return nil
  }

  /// Copies the file of a connection and verifies the copy; returns its path.
  ///
  /// A damaged copy is made again: the disk may have lost a page of it, and the file is damaged only if it is damaged
  /// each time.
  func make(from connection: Connection, at position: Position) throws -> String {
    try CorruptionError.nilIfCorrupt { try copy(connection, at: position) }
      ?? copy(connection, at: position)
  }

  private func copy(_ connection: Connection, at position: Position) throws -> String {
    var attempt = 1
    while try StorePath(name(position, attempt), for: .backingUp).fileStatus(.backingUp) != .missing
    {
      attempt += 1
    }
    let backup = try StorePath(name(position, attempt), for: .backingUp)
    let file = try NewFile(at: backup, from: path, for: .backingUp, on: disk)
    return try file.make {
      try file.createCopy(of: connection).close()
      try file.verify()
      try file.giveName()
      return backup.file
    }
  }

  private func name(_ position: Position, _ attempt: Int) -> String {
    "\(path.file).before-\(position.revision)\(attempt == 1 ? "" : "-\(attempt)")"
  }

  /// Whether a file is an intact copy of the store at a position.
  private func isCopy(_ backup: StorePath, of position: Position) -> Bool {
    do {
      let inspector = try Inspector(path: backup.file, on: disk)
      let copy = try inspector.query { $0.position }
      return try copy.storeID == position.storeID && copy.revision == position.revision
        && copy.chain == position.chain && inspector.verify().isSound
    } catch {
      // A file that cannot be read is none.
      return false
    }
  }

  /// Removes a copy that a run has made, when nothing of the run has taken effect.
  func remove(_ backup: String) {
    // The error of the run is the one to report.
    for file in ["\(backup).lock", backup] { _ = unlink(file) }
  }

  /// Removes all but the newest copies.
  ///
  /// The newest are those that were made last: after a store was restored from a backup, its revisions are smaller
  /// than those of older copies.
  ///
  /// - Parameters:
  ///   - count: how many stay.
  ///   - made: the copy of this run, which is one of them whenever it was made.
  func removeOld(keeping count: Int, besides made: String) throws {
    let newestFirst = try copies().filter { $0.path != made }.inOrder { $1.isOlder(than: $0) }
    for copy in newestFirst.dropFirst(max(count - 1, 0)) where unlink(copy.path) != 0 {
      if errno != ENOENT { throw SystemError("unlink", copy.path) }
    }
  }
}
