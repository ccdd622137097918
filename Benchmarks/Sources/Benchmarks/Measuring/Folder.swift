import Foundation

/// A temporary folder of one benchmark, deleted when the object is released.
final class Folder: Sendable {
  let path: String

  /// Creates a folder in `parent`, which determines the disk that is measured.
  init(in parent: String) throws {
    path = "\(parent)/strata-benchmark-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The total size of all files whose names start with `prefix`; opens none of them.
  func bytes(of prefix: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.reduce(0) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
      return sum + (attributes?[.size] as? Int ?? 0)
    }
  }
}
