import Foundation
import Strata
import Testing

@Suite struct LogTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = try await folder.closedSample()
  }

  @Test func `the log tells who changed what, and what is not in the file`() async throws {
    #expect(
      try await Program.strata("log", path)
        == Program(
          status: 0,
          output: """
            1  2026-02-02 02:40:00.000Z  add users  App/Users.swift:12 add()
              users  +2 inserted (2, 42)
            2  2026-02-02 02:40:00.000Z  note  App/Notes.swift:7 jot()
              notes  1 NOT PERSISTED (todo; the file has the previous record)
            3  2026-02-02 02:40:00.000Z  App/Users.swift:30 drop()
              users  -1 removed (1)

            """,
          errors: ""
        )
    )
  }

  @Test func `the JSON of the log is one array of deltas`() async throws {
    let log = try await Program.strata("log", path, "--json", "--last", "1")
    let bytes = try #require(try member("0", "bytes", of: log.output))
    #expect(
      try canonicalJSON(log.output) == """
        [{"bytes":\(bytes),"changes":[{"notPersisted":[],"put":[],"removed":["1"],"table":"users"}],\
        "entities":1,"first":3,"name":"","place":"App/Users.swift:30 drop()","revision":3,\
        "time":"2026-02-02T02:40:00Z"}]
        """
    )
  }

  @Test func `the deltas after a revision are limited from the front`() async throws {
    let log = try await Program.strata("log", path, "--after", "1", "--limit", "1", "--json")
    #expect(try member("0", "revision", of: log.output) == "2")
    #expect(try member("1", of: log.output) == nil)
  }

  @Test func `a log that stops at its limit says how to go on`() async throws {
    let log = try await Program.strata("log", path, "--after", "0", "--limit", "2")
    #expect(
      log.errors == "More follow, up to revision 3: go on with --after 2, or raise --limit.\n"
    )
    #expect(try await Program.strata("log", path, "--after", "2").errors == "")
    #expect(try await Program.strata("log", path, "--last", "1").errors == "")
  }

  @Test func `a log says where the journal starts if it was trimmed before`() async throws {
    let trimmed = try await folder.trimmedSample()
    let info = try await Program.strata("info", trimmed, "--json").output
    let first = try #require(try member("journal", "first", of: info).flatMap { Int($0) })
    try #require(first > 4)
    let note = "The journal starts at revision \(first): earlier ones were trimmed.\n"
    #expect(try await Program.strata("log", trimmed, "--after", "0").errors == note)
    #expect(try await Program.strata("log", trimmed, "--last", "1000").errors == note)
    #expect(try await Program.strata("log", trimmed, "--after", "\(first - 1)").errors == "")
    #expect(try await Program.strata("log", trimmed, "--last", "1").errors == "")
  }

  @Test func `a log that shows the last deltas only says how many there are`() async throws {
    let path = folder.path("many.strata")
    let sample = try await OpenSample(at: path)
    sample.commitUsers(0..<1_200)
    try await sample.close()
    let log = try await Program.strata("log", path)
    #expect(log.output.hasPrefix("1181  "))
    #expect(
      log.errors
        == "20 of 1,200 deltas: -n N lists the last N, and --after 0 all from the first.\n"
    )
    let since = try await Program.strata("log", path, "--since", "100", "--json")
    #expect(since.errors.hasPrefix("20 of 1,100 deltas: "))
    let named = try await Program.strata("log", path, "--entity", "users/7")
    #expect(named.errors == "")
    let table = try await Program.strata("log", path, "--table", "users", "--until", "900")
    #expect(table.errors.hasPrefix("20 of 900 deltas: "))
    #expect(try await Program.strata("log", path, "-n", "20").errors == "")
  }

  @Test func `a time that a log prints names its commit`() async throws {
    let log = try await Program.strata("log", path, "-n", "3")
    let lines = log.output.split(separator: "\n").filter { $0.first?.isNumber == true }
    try #require(lines.count == 3)
    for line in lines {
      let words = line.split(separator: " ")
      let (revision, time) = (try #require(Int(words[0])), "@\(words[1])T\(words[2])")
      try #require(time.hasSuffix("Z") && time.contains("."))
      let until = try await Program.strata("log", path, "--until", time, "-n", "1", "--json")
      let last = try #require(try revisions(of: until.output).last)
      #expect(last >= revision, "\(time): \(until)")
      let since = try await Program.strata("log", path, "--since", time, "--json")
      let first = try #require(try revisions(of: since.output).first)
      #expect(first <= revision, "\(time): \(since)")
      let day = try await Program.strata("query", path, "SELECT 1", "--at", "@\(words[1])")
      #expect(day.output.contains("at revision 3\n"), "\(day)")
    }
    let before = try await Program.strata("log", path, "--until", "@2000-01-01")
    #expect(before.status == 3, "\(before)")
  }

  private func revisions(of json: String) throws -> [Int] {
    let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]] ?? []
    return list.compactMap { $0["revision"] as? Int }
  }

  @Test func `HEAD in a query is the revision that the query is of`() async throws {
    let many = folder.path("heads.strata")
    let sample = try await OpenSample(at: many)
    sample.commitUsers(0..<9)
    try await sample.close()
    func count(_ table: String, at revision: String) async throws -> String {
      let sql = "SELECT count(*) AS n FROM \(table)"
      return try await Program.strata("query", many, sql, "--at", revision, "--csv").output
    }
    let counts = [try await count("users", at: "5"), try await count("users", at: "3")]
    #expect(try await count("users_at('HEAD')", at: "5") == counts[0])
    #expect(try await count("users_at('HEAD~2')", at: "5") == counts[1])
    #expect(counts[0] != counts[1])
  }

  @Test func `past the end there is nothing`() async throws {
    let log = try await Program.strata("log", path, "--after", "3")
    #expect(log.output == "The journal has no deltas after revision 3.\n")
    #expect(log.status == 0)
  }

  @Test(arguments: [
    ["--last", "0"], ["--last", "2", "--after", "1"], ["--limit", "3"], ["--last", "many"],
  ])
  func `a log asked for wrongly is a usage error`(options: [String]) async throws {
    let log = try await Program.run(try Program.strataPath(), ["log", path] + options)
    #expect(log.status == 64)
    #expect(log.output == "")
  }

  @Test func `a delta that cannot be read is damage`() async throws {
    // The list of what the first delta changed: one table, its name, two entries, the first a put.
    try Patch.overwrite([1, 5] + Array("users".utf8) + [2, 0], in: path, last: 9)
    let log = try await Program.strata("log", path)
    #expect(log.status == 4)
    #expect(
      log.errors.hasPrefix(
        "strata: \(path): this store is damaged: block 0 of delta 1 cannot be read: "
      )
    )
  }

  @Test func `a delta that was altered is damage, though it can be read`() async throws {
    try Patch.flip("Delta Dora", in: path)
    let log = try await Program.strata("log", path)
    #expect(log.status == 4)
    #expect(log.output == "")
    #expect(
      log.errors.hasPrefix(
        "strata: \(path): this store is damaged: hash mismatch in delta 1: stored "
      )
    )
  }

  @Test func `a reader that has had enough ends the log without a word`() async throws {
    let path = folder.path("long.strata")
    let sample = try await OpenSample(at: path)
    sample.commitUsers(0..<3_000)
    try await sample.close()
    let line = #"{ "$0" log "$1" --last 3000; echo "exit $?" >&2; } | head -1"#
    let log = try await Program.shell(line, path)
    #expect(log.errors == "exit 0\n")
    #expect(log.output.hasPrefix("1  2026-02-02 02:40:00.000Z  CLITests/OpenSample.swift:"))
  }
}
