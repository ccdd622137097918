package import Foundation

/// The content of all files of a store, to check that none of them has changed.
///
/// Only for a store that is not open in this process: closing a file drops its POSIX locks.
package struct StoreBytes: Equatable, Sendable {
  package let files: [String: Data]

  /// Reads every file in the directory of `path` whose name starts with the store's.
  ///
  /// SQLite's shared memory and an empty WAL are not content. The lock file only names the last writer.
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

extension StoreBytes {
  /// The files that contain a text.
  package func files(holding text: String) -> [String] {
    files.filter { $0.value.range(of: Data(text.utf8)) != nil }.keys.sorted()
  }
}

/// A text that no file contains by accident.
package let secret = "zebra-quince-4711"
