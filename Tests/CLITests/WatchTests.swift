import Foundation
import Strata
import Testing

@Suite struct WatchTests {
  @Test func `deltas are printed as they are written`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try Program.strataPath())
    process.arguments = ["watch", path, "--after", "2", "--count", "3", "--json"]
    process.standardOutput = pipe
    async let status = process.statusAtEnd()
    // It has looked at the file before the next commit.
    var output = try #require(try pipe.fileHandleForReading.read(upToCount: 1))
    sample.commitUsers(100..<102)
    try await sample.flush()
    output += try #require(try pipe.fileHandleForReading.readToEnd())
    #expect(try await status == 0)
    let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    #expect(try lines.map { try member("revision", of: $0) } == ["3", "4", "5"])
    try await sample.close()
  }

  @Test func `it waits until it is interrupted, and holds no lock meanwhile`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try Program.strataPath())
    process.arguments = ["watch", path, "--after", "3", "--name", "second", "--json"]
    process.standardOutput = pipe
    async let status = process.statusAtEnd()
    // A writer comes and goes while it runs. It may be reading at that very moment.
    let sample = try await OpenSample(at: path)
    sample.store.commit("first") { $0.db.users.insert(User(id: 7, name: "x")) }
    sample.store.commit("second") { $0.db.users.insert(User(id: 8, name: "y")) }
    try await sample.flush()
    let output = pipe.fileHandleForReading.availableData
    #expect(try member("revision", of: String(decoding: output, as: UTF8.self)) == "5")
    process.interrupt()
    #expect(try await status == 130)
    try await sample.close()
  }

  /// A running `strata watch`, whose lines are read one by one.
  private struct Running {
    let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    init(_ arguments: [String]) throws {
      process.executableURL = URL(fileURLWithPath: try Program.strataPath())
      process.arguments = ["watch"] + arguments
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    private func line(_ pipe: Pipe) throws -> String {
      var bytes: [UInt8] = []
      while let byte = try pipe.fileHandleForReading.read(upToCount: 1)?.first, byte != 10 {
        bytes.append(byte)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The revision of the next delta.
    func nextRevision() throws -> String? { try member("revision", of: try line(output)) }

    func nextError() throws -> String { try line(errors) }

    func end() {
      process.interrupt()
      process.waitUntilExit()
    }
  }

  private func move(_ store: String, to other: String) throws {
    for suffix in ["", ".head", ".lock"] {
      try FileManager.default.moveItem(atPath: store + suffix, toPath: other + suffix)
    }
  }

  /// The next line says that no file is there, and that it is waited for.
  private func expectAway(_ watch: Running) throws {
    let error = try watch.nextError()
    #expect(error.contains("there is no file here"), "\(error)")
    #expect(error.hasSuffix("It is waited for."), "\(error)")
  }

  @Test func `a file that is away is waited for, and another store is said and followed`()
    async throws
  {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let other = folder.path("other.strata")
    _ = try await Program.strata("fork", path, other, "--at", "2")
    let watch = try Running([path, "--after", "2", "--json"])
    defer { watch.end() }
    #expect(try watch.nextRevision() == "3")
    try move(path, to: folder.path("away.strata"))
    try expectAway(watch)
    try move(folder.path("away.strata"), to: path)
    #expect(try watch.nextError() == "\(path) can be read again.")
    let sample = try await OpenSample(at: path)
    sample.store.commit("first") { $0.db.users.insert(User(id: 7, name: "x")) }
    try await sample.close()
    // Nothing was printed twice.
    #expect(try watch.nextRevision() == "4")
    // A copy of it has the same identity and another history.
    try move(path, to: folder.path("former.strata"))
    try expectAway(watch)
    try move(other, to: path)
    let restored = "The store was restored, or goes on from a copy: it is at revision 2."
    #expect(try watch.nextError() == restored)
    #expect(try watch.nextError() == "\(path) can be read again.")
    let copy = try await OpenSample(at: path)
    copy.store.commit("in the copy") { $0.db.users.insert(User(id: 8, name: "y")) }
    try await copy.close()
    #expect(try watch.nextRevision() == "3")
    // Another store, made at the same path.
    try move(path, to: folder.path("copy.strata"))
    try expectAway(watch)
    let second = try Folder()
    try move(try await second.closedSample(), to: path)
    #expect(try watch.nextError() == "Another store is at this path now, at revision 3.")
  }
}
