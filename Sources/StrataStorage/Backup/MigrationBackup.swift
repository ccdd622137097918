import Foundation
import StrataBase
package import StrataJournal
package import StrataSQLite

/// The copies of a store that are made before migrations: `app.strata.before-12`, by revision.
package struct MigrationBackup {
  private let path: StorePath
  private let disk: Disk

  package init(of path: StorePath, on disk: Disk) {
    (self.path, self.disk) = (path, disk)
  }

  private var prefix: String { "\(path.name).before-" }

  /// The path of a copy of a position that is there already; nil if there is none.
  ///
  /// O(file): the copy is verified again.
  package func find(at position: Position) throws -> String? {
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
  package func make(from connection: Connection, at position: Position) throws -> String {
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
    do {
      try file.create()
      let destination = try file.connect()
      let copy = try OnlineBackup(from: connection, to: destination)
      guard try copy.step(pages: -1) == .complete else {
        throw PersistenceError.Reason.busy("it is being written to")
      }
      try copy.finish()
      try destination.close()
      try file.verify()
      try file.giveName()
      return backup.file
    } catch {
      file.removeLeftovers()
      throw error
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
  package func remove(_ backup: String) {
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
  package func removeOld(keeping count: Int, besides made: String) throws {
    let newestFirst = try copies().filter { $0.path != made }.sorted { $1.isOlder(than: $0) }
    for copy in newestFirst.dropFirst(max(count - 1, 0)) where unlink(copy.path) != 0 {
      if errno != ENOENT { throw SystemError("unlink", copy.path) }
    }
  }

  /// The copy of the latest revision before another one, of the store's own history; nil if there is none.
  ///
  /// A copy of commits that a restore has taken out of the history since is none, and neither is one of a revision whose
  /// delta was trimmed. O(files in the directory), and opens the copies from the latest on.
  package func newest(before revision: Revision, in view: ReadView) throws -> String? {
    let earlier = try copies().filter { $0.order[0] < revision.number }
    return try earlier.sorted { $1.order.lexicographicallyPrecedes($0.order) }
      .first { try isCopy($0.path, of: view) }?.path
  }

  /// Whether a file is a copy of the store at a revision of its history; its contents are not verified.
  private func isCopy(_ backup: String, of view: ReadView) throws -> Bool {
    let copy: Position
    do {
      copy = try Inspector(path: backup, on: disk).query { $0.position }
    } catch {
      // A file that cannot be read is none.
      return false
    }
    guard copy.storeID == view.identity.id, let chain = try view.chain(at: copy.revision) else {
      return false
    }
    return chain == copy.chain
  }

  private struct Copy {
    let path: String
    let seconds: Int
    let nanoseconds: Int
    /// The revision, and the number of the attempt.
    let order: [Int]

    func isOlder(than other: Copy) -> Bool {
      if seconds != other.seconds { return seconds < other.seconds }
      if nanoseconds != other.nanoseconds { return nanoseconds < other.nanoseconds }
      return order.lexicographicallyPrecedes(other.order)
    }
  }

  private func copies() throws -> [Copy] {
    try path.namesInDirectory().compactMap { name in
      guard name.hasPrefix(prefix) else { return nil }
      let parts = name.dropFirst(prefix.count).split(
        separator: "-",
        omittingEmptySubsequences: false
      )
      let order = parts.compactMap { Int($0) }
      guard order.count == parts.count, (1...2).contains(order.count) else { return nil }
      let path = "\(path.directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return Copy(
        path: path,
        seconds: Int(time.tv_sec),
        nanoseconds: Int(time.tv_nsec),
        order: order
      )
    }
  }
}
