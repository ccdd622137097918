import Foundation

/// The files of each format, written once.
enum GoldenFile {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Golden")

  static func name(ofFormat format: Int) -> String { "format\(format).strata" }

  /// Copies the file of a format and its head.
  static func copy(ofFormat format: Int, to path: String) throws {
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(
        at: folder.appendingPathComponent(name(ofFormat: format) + suffix),
        to: URL(fileURLWithPath: path + suffix)
      )
    }
  }
}
