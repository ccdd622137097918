package import Foundation

/// Everything that stands at and beside a store's path, to see that nothing was touched.
///
/// Only for a store that this process does not have open: closing a file drops its POSIX locks.
package struct StoreBytes: Equatable, Sendable {
  package let files: [String: Data]

  /// Reads every file in the directory of `path` whose name begins with the store's.
  ///
  /// SQLite's shared memory and an empty WAL are no content, and the lock file only says who came
  /// last.
  package init(_ path: String) throws {
    let url = URL(fileURLWithPath: path)
    let directory = url.deletingLastPathComponent()
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path)
    where name.hasPrefix(url.lastPathComponent) {
      guard !name.hasSuffix("-shm"), !name.hasSuffix(".lock") else { continue }
      let data = try Data(contentsOf: directory.appendingPathComponent(name))
      if name.hasSuffix("-wal"), data.isEmpty { continue }
      files[name] = data
    }
    self.files = files
  }
}
