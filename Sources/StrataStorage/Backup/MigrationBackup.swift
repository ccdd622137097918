import Foundation
import StrataBase
package import StrataJournal

/// The copies of a store that are made before migrations: `app.strata.before-12`, by revision.
package struct MigrationBackup {
  package let path: StorePath
  package let disk: Disk

  package init(of path: StorePath, on disk: Disk) {
    (self.path, self.disk) = (path, disk)
  }

  private var prefix: String { "\(path.name).before-" }

  /// The copy of the latest revision before another one, of the store's own history; nil if there is none.
  ///
  /// A copy of commits that a restore has taken out of the history since is none, and neither is one of a revision whose
  /// delta was trimmed. O(files in the directory), and opens the copies from the latest on.
  package func newest(before revision: Revision, in view: ReadView) throws -> String? {
    let earlier = try copies().filter { $0.order[0] < revision.number }
    return try earlier.inOrder { $1.order.lexicographicallyPrecedes($0.order) }
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

  package struct Copy {
    package let path: String
    let seconds: Int
    let nanoseconds: Int
    /// The revision, and the number of the attempt.
    let order: [Int]

    package func isOlder(than other: Copy) -> Bool {
      if seconds != other.seconds { return seconds < other.seconds }
      if nanoseconds != other.nanoseconds { return nanoseconds < other.nanoseconds }
      return order.lexicographicallyPrecedes(other.order)
    }
  }

  package func copies() throws -> [Copy] {
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
