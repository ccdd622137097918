import Foundation

/// A folder of its own for one benchmark, removed when the last reference goes.
final class Folder: Sendable {
  let path: String

  /// Creates a folder in `parent`, which decides on which disk the figures are taken.
  init(in parent: String) throws {
    path = "\(parent)/strata-benchmark-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The bytes of all files whose name begins with `prefix`, without opening any.
  func bytes(of prefix: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
      return sum + (attributes?[.size] as? Int ?? 0)
    }
  }
}
