import Foundation

/// A temporary directory that is deleted with the object.
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

  /// The bytes of every file in the directory by name, except SQLite's shared memory.
  ///
  /// Reads a copy that another process makes: closing a descriptor of a database in this process would
  /// drop the locks of a store that is open here.
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
