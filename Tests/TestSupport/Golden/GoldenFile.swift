package import Foundation

/// The files of each format, written once.
package enum GoldenFile {
  package static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  package static func name(ofFormat format: Int) -> String { "format\(format).strata" }

  /// Copies the file of a format and its head.
  package static func copy(ofFormat format: Int, to path: String) throws {
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent(name(ofFormat: format) + suffix),
        to: URL(fileURLWithPath: path + suffix)
      )
    }
  }
}
