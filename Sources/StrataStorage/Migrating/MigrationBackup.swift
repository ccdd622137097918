import Foundation
import StrataBase
import StrataSQLite

/// The copies of a store that are made before migrations: `app.strata.before-12`, by revision.
struct MigrationBackup {
  let path: StorePath
  let disk: Disk

  private var prefix: String { "\((path.file as NSString).lastPathComponent).before-" }

  /// Copies the file of a connection and verifies the copy; a verified copy of the same position is used again.
  ///
  /// Returns its path.
  func make(from connection: Connection, at position: Position) throws -> String {
    var attempt = 1
    while true {
      let suffix = attempt == 1 ? "" : "-\(attempt)"
      let name = "\(path.file).before-\(position.revision)\(suffix)"
      attempt += 1
      let backup = try StorePath(name, for: .backingUp)
      if try backup.fileStatus(.backingUp) != .missing {
        if try isCopy(backup, of: position) { return name }
        continue
      }
      let file = try NewFile(at: backup, for: .backingUp, on: disk)
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
        return name
      } catch {
        file.removeLeftovers()
        throw error
      }
    }
  }

  /// Whether a file is a copy of the store at a position; it was verified before it got its name.
  private func isCopy(_ backup: StorePath, of position: Position) throws -> Bool {
    // A file that cannot be read is none.
    guard let info = try? Inspector(path: backup.file, on: disk).info() else { return false }
    return info.store == position.storeID && info.revision == position.revision.number
      && info.chain == position.chain.description
  }

  /// Removes all but the newest copies.
  func removeOld(keeping count: Int) throws {
    let copies = try path.namesInDirectory().compactMap { name -> (name: String, order: [Int])? in
      guard name.hasPrefix(prefix) else { return nil }
      let parts = name.dropFirst(prefix.count).split(
        separator: "-",
        omittingEmptySubsequences: false
      )
      let order = parts.compactMap { Int($0) }
      return order.count == parts.count && (1...2).contains(order.count) ? (name, order) : nil
    }
    let newestFirst = copies.sorted { $1.order.lexicographicallyPrecedes($0.order) }
    for copy in newestFirst.dropFirst(max(count, 1)) {
      _ = unlink("\(path.directory)/\(copy.name)")
    }
  }
}
