import Foundation
import Strata
import TestSupport
import Testing

/// Inspecting a store changes no byte of any file and creates no file.
@Suite struct UnchangedFilesTests {
  private func inspect(_ path: String, first: Bool = true) async throws -> [Int32] {
    var subcommands = [
      ["info"], ["tables"], ["show", "users"], ["show", "users", "2"], ["log"], ["verify"],
      ["query", "SELECT * FROM users"], ["query", "SELECT * FROM users_history"],
      ["query", "SELECT * FROM strata_log"],
    ]
    if first {
      subcommands += [
        ["query", "SELECT * FROM users, users_at(0)"], ["show", "users", "--at", "HEAD~1"],
        ["tables", "--at", "HEAD~1"], ["schema"], ["list", "users"], ["find", "dora"],
        ["find", "dora", "--all"], ["history", "users", "2"], ["blame", "users", "2"],
        ["blame", "users"], ["diff", "HEAD..HEAD"], ["log", "--fields"],
        ["log", "--table", "users", "--since", "1"], ["stats"], ["doctor"],
        ["watch", "--after", "0", "--count", "3"], ["export", "--ndjson"],
        ["export", "users", "--csv"], ["diff", "--stat"],
      ]
    }
    var statuses: [Int32] = []
    for subcommand in subcommands {
      let strata = try Program.strataPath()
      let program = try await Program.run(strata, [subcommand[0], path] + subcommand.dropFirst())
      if program.status != 0 { print("\(subcommand): \(program.errors)") }
      statuses.append(program.status)
    }
    return statuses
  }

  /// The last one is a `diff` of states that differ.
  private static let ok = [Int32](repeating: 0, count: 27) + [2]

  @Test func `a store at rest`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let before = try await folder.contents()
    #expect(Set(before.keys) == ["app.strata", "app.strata.head", "app.strata.lock"])
    #expect(try await inspect(path) == Self.ok)
    #expect(try await folder.contents() == before)
  }

  @Test func `a store that was left behind`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    let before = try await folder.contents()
    #expect(try #require(before["app.strata-wal"]).count > 0)
    #expect(try await inspect(path) == Self.ok)
    #expect(try await folder.contents() == before)
  }

  @Test func `a database with its WAL and nothing else`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    for suffix in [".lock", ".head"] { try FileManager.default.removeItem(atPath: path + suffix) }
    let before = try await folder.contents()
    #expect(Set(before.keys) == ["app.strata", "app.strata-wal"])
    #expect(try await inspect(path) == Self.ok)
    #expect(try await folder.contents() == before)
  }

  @Test func `the copy that is read leaves nothing behind`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    let temporary = folder.path("temporary")
    let line = #"mkdir "$2"; export TMPDIR="$2"; "$0" info "$1" >&2; ls -A "$2""#
    let run = try await Program.shell(line, path, temporary)
    #expect(run.errors.contains("The last writer did not close it"))
    #expect(run.output == "")
  }

  @Test func `a store that is open`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    let before = try await folder.contents()
    #expect(try #require(before["app.strata-wal"]).count > 0)
    #expect(try await inspect(path) == Self.ok)
    #expect(try await folder.contents() == before)
    try await sample.close()
  }

  @Test func `a file that may only be read, with a WAL, can be looked at`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    for suffix in ["", "-wal"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444],
        ofItemAtPath: path + suffix
      )
    }
    #expect(try await inspect(path) == Self.ok)
  }

  @Test func `a store written and trimmed at full speed answers every question`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let policy = SnapshotPolicy(minimumJournalBytes: 20_000, minimumHistoryBytes: 20_000)
    let sample = try await OpenSample(at: path, snapshots: policy)
    try await sample.commitSample()
    let writing = Task {
      var rounds = 0
      while !Task.isCancelled {
        sample.commitUsers(100..<120, named: "Round \(rounds)")
        try await sample.flush()
        rounds += 1
      }
      return rounds
    }
    // The first revision may be trimmed.
    var statuses = try await inspect(path, first: false)
    for _ in 0..<20 { statuses.append(try await Program.strata("verify", path).status) }
    writing.cancel()
    #expect(try await writing.value > 0)
    // On a busy machine a writer may trim faster than a process reads, which then says so.
    #expect(statuses.allSatisfy { $0 == 0 || $0 == 5 } && statuses.contains(0), "\(statuses)")
    try await sample.close()
    #expect(try await Program.strata("verify", path).status == 0)
  }
}
