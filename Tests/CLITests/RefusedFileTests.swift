import Foundation
import Strata
import Testing

/// Files that are not a store, or not one that this build reads: each is refused with its own exit code
/// and remains unchanged.
@Suite struct RefusedFileTests {
  private static let subcommands: [[String]] = [
    ["info"], ["tables"], ["show", "users"], ["log"], ["verify"],
  ]

  /// Runs every subcommand on a file and expects the same error, and that no file changes.
  private func expectRefused(
    _ folder: Folder,
    _ path: String,
    _ status: Int32,
    _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await folder.contents()
    for subcommand in Self.subcommands {
      let strata = try Program.strataPath()
      let refused = try await Program.run(strata, [subcommand[0], path] + subcommand.dropFirst())
      #expect(refused.status == status, sourceLocation: sourceLocation)
      #expect(refused.output == "", sourceLocation: sourceLocation)
      #expect(
        refused.errors.hasPrefix("strata: \(path): \(reason). "),
        "\(refused.errors)",
        sourceLocation: sourceLocation
      )
    }
    #expect(try await folder.contents() == before, sourceLocation: sourceLocation)
  }

  @Test func `a missing file`() async throws {
    let folder = try Folder()
    try await expectRefused(folder, folder.path("app.strata"), 3, "there is no file here")
  }

  @Test func `a missing directory`() async throws {
    let folder = try Folder()
    let directory = folder.path("nowhere")
    try await expectRefused(
      folder,
      directory + "/app.strata",
      3,
      "the directory \(directory) does not exist"
    )
  }

  @Test func `a text file`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    try Data("no store at all\n".utf8).write(to: URL(fileURLWithPath: path))
    try await expectRefused(
      folder,
      path,
      1,
      "this is not a Strata store: it is not an SQLite database"
    )
  }

  @Test func `an empty file`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    try Data().write(to: URL(fileURLWithPath: path))
    try await expectRefused(folder, path, 1, "this file is empty, so it is not a Strata store")
  }

  @Test func `a directory`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: false
    )
    try await expectRefused(folder, path, 1, "this is a directory, not a regular file")
  }

  @Test func `the SQLite database of another program`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.overwrite(path, at: 68, with: [0x47, 0x50, 0x4B, 0x47])
    try await expectRefused(
      folder,
      path,
      1,
      """
      this SQLite database belongs to another program (application id 1196444487), not to Strata
      """
    )
  }

  @Test func `a store of a newer format`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.overwrite(path, at: 60, with: [0, 0, 0, 99])
    try await expectRefused(
      folder,
      path,
      7,
      "this store has format 99, but this build reads format 3"
    )
  }

  @Test(arguments: [2, 1, 0] as [UInt8])
  func `a store of an older format`(format: UInt8) async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.overwrite(path, at: 60, with: [0, 0, 0, format])
    try await expectRefused(
      folder,
      path,
      6,
      """
      this store has format \(format), but this build reads format 3. Export it with the version of Strata that wrote it, \
      or with 0.2 (`strata export`), and import that with this one (`strata import`)
      """
    )
  }

  @Test func `a file that was cut off`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let size = try Data(contentsOf: URL(fileURLWithPath: path)).count
    try Patch.cut(path, by: 4096)
    try await expectRefused(
      folder,
      path,
      4,
      "this file is truncated: it has \(size - 4096) bytes, and its header says \(size)"
    )
  }

  @Test(arguments: [
    [], ["info"], ["show", "app.strata"], ["shwo", "app.strata"], ["info", "app.strata", "--jsno"],
  ])
  func `a wrong call is a usage error`(arguments: [String]) async throws {
    let run = try await Program.run(try Program.strataPath(), arguments)
    #expect(run.status == (arguments.isEmpty ? 0 : 64))
    #expect(run.output.isEmpty == !arguments.isEmpty)
  }
}
