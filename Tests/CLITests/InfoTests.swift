import Foundation
import Strata
import Testing

@Suite struct InfoTests {
  @Test func `a store at rest is told in full`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let json = try await Program.strata("info", path, "--json").output
    let store = try #require(try member("store", of: json))
    let lineage = try #require(try member("lineage", of: json))
    let chain = try #require(try member("chain", of: json))
    let bytes = try #require(try member("journal", "bytes", of: json))
    let snapshot = try #require(try member("snapshots", "0", "bytes", of: json))
    let sqlite = try #require(try member("sqlite", of: json))
    let info = try await Program.strata("info", path)
    let size = try #require(info.output.firstMatch(of: /file       (.*), plus/)?.output.1)
    #expect(
      info
        == Program(
          status: 0,
          output: """
            \(path) is a Strata store of format 3.
            No writer has it open.

            store      \(store)
            lineage    \(lineage), created, 2026-02-02 02:40:00.000Z
            created    2026-02-02 02:40:00.000Z
            revision   3, chain \(chain)
            tables     notes, users
            journal    3 deltas from revision 1, \(bytes) bytes
            readable   revisions 0 to 3
            snapshots  revision 0, 2026-02-02 02:40:00.000Z, 2 entities, \(snapshot) bytes
            head       durable up to revision 3, written up to 3
            file       \(size), plus 0 bytes in SQLite's WAL
            read with  SQLite \(sqlite)

            """,
          errors: ""
        )
    )
  }

  @Test func `the JSON of a store at rest has its position and no writer`() async throws {
    let folder = try Folder()
    let json = try await Program.strata("info", try await folder.closedSample(), "--json").output
    #expect(try member("revision", of: json) == "3")
    #expect(try member("created", of: json) == "2026-02-02T02:40:00Z")
    #expect(try member("head", "durable", of: json) == "3")
    #expect(try member("walBytes", of: json) == "0")
    #expect(try member("writer", of: json) == nil)
  }

  @Test func `a store that is open names its writer`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    let info = try await Program.strata("info", path)
    let process = ProcessInfo.processInfo.processIdentifier
    #expect(info.status == 0)
    #expect(info.output.contains("\nIt is open for writing by process \(process) on "))
    #expect(info.output.contains("\nrevision   3, "))
    try await sample.close()
  }

  @Test func `a store that was left behind says what the next writer does`() async throws {
    let folder = try Folder()
    let info = try await Program.strata("info", try await folder.unclosedSample())
    #expect(info.status == 0)
    #expect(info.output.contains("\nNo writer has it open. The last writer did not close it"))
    #expect(info.output.contains("\nrevision   3, "))
  }

  @Test func `a named snapshot has its name`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    try await sample.persistence.snapshot(named: "before-upgrade")
    try await sample.close()
    let info = try await Program.strata("info", path)
    #expect(info.output.contains("snapshots  revision 3, 2026-02-02 02:40:00.000Z, 3 entities, "))
    #expect(info.output.contains(" bytes, named \"before-upgrade\"\n           revision 0, "))
  }
}
