import Foundation
import Testing

@Suite struct DoctorTests {
  private func levels(_ path: String) async throws -> (status: Int32, [String: String]) {
    let doctor = try await Program.strata("doctor", path, "--json")
    var levels: [String: String] = [:]
    var index = 0
    while let subject = try member("findings", "\(index)", "subject", of: doctor.output) {
      levels[subject] = try member("findings", "\(index)", "level", of: doctor.output)
      index += 1
    }
    return (doctor.status, levels)
  }

  @Test func `a store at rest has no problem`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    var (status, levels) = try await levels(path)
    #expect(status == 0)
    // SQLite depends on the machine.
    levels["SQLite"] = nil
    #expect(Set(levels.values) == ["ok"], "\(levels)")
    #expect(
      Set(levels.keys)
        == ["format", "writer", "WAL", "head", "snapshots", "history", "disk", "access"]
    )
  }

  @Test func `a head that is ahead of the file is a problem`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let other = try Folder()
    let longer = try await OpenSample(at: path)
    longer.commitUsers(50..<52)
    try await Program.run("/bin/cp", [path, other.path("short.strata")])
    try await longer.close()
    // The file of before, with the head of now: commits are missing.
    for suffix in ["", "-wal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try FileManager.default.copyItem(atPath: other.path("short.strata"), toPath: path)
    let (status, levels) = try await levels(path)
    #expect(levels["head"] == "problem", "\(levels)")
    #expect(status == 2)
    let text = try await Program.strata("doctor", path)
    #expect(text.output.contains("PROBLEM   head"))
    // A long path is on lines of its own.
    let words = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains("\(path) BACKUP`"))
  }

  @Test func `what was left behind is a note, with what to do`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    try FileManager.default.createDirectory(
      atPath: path + ".damaged-2026-02-02",
      withIntermediateDirectories: false
    )
    try FileManager.default.removeItem(atPath: path + ".head")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    let (status, levels) = try await levels(path)
    #expect(status == 0)
    for subject in ["WAL", "head", "access", "quarantine"] {
      #expect(levels[subject] == "note", "\(subject): \(levels)")
    }
  }
}
