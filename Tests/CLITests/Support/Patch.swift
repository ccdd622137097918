import Foundation
import StrataSQLite
import TestSupport

/// Changes the bytes of a file that no store has open.
enum Patch {
  static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Flips the lowest bit of the first byte of a text that occurs once in the file.
  static func flip(_ text: String, in path: String) throws {
    let range = try range(of: Array(text.utf8), in: path)
    try overwrite(path, at: range.lowerBound, with: [text.utf8.first.map { $0 ^ 1 } ?? 0])
  }

  /// Replaces the last byte of a byte sequence that occurs once in the file.
  static func overwrite(_ bytes: [UInt8], in path: String, last: UInt8) throws {
    try overwrite(path, at: range(of: bytes, in: path).upperBound - 1, with: [last])
  }

  private static func range(of bytes: [UInt8], in path: String) throws -> Range<Int> {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let range = data.range(of: Data(bytes)),
      data.range(of: Data(bytes), in: range.upperBound..<data.endIndex) == nil
    else { throw CocoaError(.fileReadCorruptFile) }
    return range
  }

  /// Replaces the chunks of the newest snapshot by zeros of the same length.
  static func clearChunks(ofNewestSnapshotIn path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    let count = try connection.run(
      SnapshotDamage.clearing(ownChunksOf: SnapshotDamage.newest)
    )
    guard count > 0 else { throw CocoaError(.fileReadCorruptFile) }
    try connection.checkpoint(.truncate)
    try connection.close()
  }

  static func cut(_ path: String, by count: Int) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.truncate(atOffset: file.seekToEnd() - UInt64(count))
    try file.close()
  }
}
