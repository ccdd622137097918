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
}
