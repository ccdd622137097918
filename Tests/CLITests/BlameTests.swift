import Strata
import Testing

/// `strata blame` of fields that an entity no longer has.
@Suite struct BlameTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = try await folder.closedSample()
    let sample = try await OpenSample(at: path)
    sample.store.commit("forget", fileID: "App/Users.swift", function: "forget()", line: 50) {
      _ = try? $0.db.users.updateIfExists(2) { $0.email = nil }
    }
    try await sample.close()
  }

  @Test func `without a field, cleared fields are listed with who cleared them`() async throws {
    let blame = try await Program.strata("blame", path, "users", "2")
    #expect(blame.output.contains("email"), "\(blame)")
    #expect(blame.output.contains("removed"), "\(blame)")
    #expect(blame.output.contains("forget  App/Users.swift:50 forget()"), "\(blame)")
    let rows = try await Program.strata("blame", path, "users", "2", "--ndjson")
    let last = try #require(rows.output.split(separator: "\n").last)
    #expect(last.contains(#""field":"email","value":null,"revision":4"#), "\(rows)")
  }

  @Test func `a field that was cleared and set again is there once`() async throws {
    let sample = try await OpenSample(at: path)
    sample.store.commit {
      _ = try? $0.db.users.updateIfExists(2) { $0.email = "new@example.org" }
    }
    try await sample.close()
    let rows = try await Program.strata("blame", path, "users", "2", "--ndjson")
    let emails = rows.output.split(separator: "\n").filter { $0.contains(#""field":"email""#) }
    #expect(emails.count == 1 && emails[0].contains("new@example.org"), "\(rows)")
  }

  @Test func `a table lists the cleared fields of its entities too`() async throws {
    let rows = try await Program.strata("blame", path, "users", "--csv")
    #expect(rows.output.contains("2,email,,4,"), "\(rows)")
  }
}
