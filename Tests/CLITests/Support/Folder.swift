import Foundation

/// An empty directory of its own that is deleted with the object.
final class Folder: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-cli-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: url)
    } catch {
      FileHandle.standardError.write(Data("\(url.path) was not deleted: \(error)\n".utf8))
    }
  }

  /// The path of a file in it, with the directory resolved.
  func path(_ name: String) -> String {
    url.resolvingSymlinksInPath().appendingPathComponent(name).path
  }

  /// The bytes of every file in it by name, but for SQLite's shared memory.
  ///
  /// Read from a copy made by another process: a descriptor of a database that is closed in this one
  /// would drop the locks of a store that is open here.
  func contents() async throws -> [String: Data] {
    let copy = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-cli-\(UUID().uuidString)", isDirectory: true)
    try await Program.run("/bin/cp", ["-R", url.path, copy.path])
    defer { try? FileManager.default.removeItem(at: copy) }
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: copy.path)
    where !name.hasSuffix("-shm") {
      let file = copy.appendingPathComponent(name)
      let isDirectory = try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      contents[name] = isDirectory ? Data() : try Data(contentsOf: file)
    }
    return contents
  }
}

/// Changes the bytes of a file that no store has open.
enum Patch {
  static func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Flips the lowest bit of the first byte of a text that stands in the file once.
  static func flip(_ text: String, in path: String) throws {
    let range = try place(of: Array(text.utf8), in: path)
    try overwrite(path, at: range.lowerBound, with: [text.utf8.first.map { $0 ^ 1 } ?? 0])
  }

  /// Replaces the last of some bytes that stand in the file once.
  static func overwrite(_ bytes: [UInt8], in path: String, last: UInt8) throws {
    try overwrite(path, at: place(of: bytes, in: path).upperBound - 1, with: [last])
  }

  private static func place(of bytes: [UInt8], in path: String) throws -> Range<Int> {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    guard let range = data.range(of: Data(bytes)),
      data.range(of: Data(bytes), in: range.upperBound..<data.endIndex) == nil
    else { throw CocoaError(.fileReadCorruptFile) }
    return range
  }

  static func cut(_ path: String, by count: Int) throws {
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.truncate(atOffset: file.seekToEnd() - UInt64(count))
    try file.close()
  }
}
