import Foundation
import Strata
import StrataCLI
import StrataInspection
import Testing

@Suite struct LogTextTests {
  private let delta: DeltaSummary

  init() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let json = """
      {"revision": 15, "first": 12, "time": 1770000000.5, "name": "import",
       "place": "App/Import.swift:3 run()", "entities": 9, "bytes": 100, "changes": [
         {"table": "orders", "put": ["1", "2", "3", "4", "5", "6", "7"], "removed": ["x\\ny"],
          "notPersisted": []},
         {"table": "users", "put": [], "removed": [], "notPersisted": ["4"]}]}
      """
    delta = try decoder.decode(DeltaSummary.self, from: Data(json.utf8))
  }

  @Test func `merged commits show as a run`() {
    #expect(
      LogText.lines(delta, .off, within: 100) == [
        "12…15  2026-02-02 02:40:00.500Z  import  App/Import.swift:3 run()",
        "  4 commits in one delta, merged after a disk error",
        #"  orders  +7 put (1, 2, 3, 4, 5, … 2 more), -1 removed (x\ny)"#,
        "  users   1 NOT PERSISTED (4; the file has the previous record)",
      ]
    )
  }

  @Test func `inserted and updated entities are told apart, with the fields of the latter`() {
    var delta = delta
    (delta.commit.first, delta.changes) = (15, [delta.changes[0]])
    delta.changes[0].inserted = ["1", "3", "4", "5", "6", "7"]
    delta.changes[0].fields = ["2": ["name", "home.ci\u{1B}ty"]]
    #expect(
      LogText.lines(delta, .off, within: 100).dropFirst() == [
        #"  orders  +6 inserted (1, 3, 4, 5, 6, … 1 more), ~1 updated (2), -1 removed (x\ny)"#,
        #"    2: name, home.ci\u001bty"#,
      ]
    )
    delta.changes[0].inserted = []
    delta.changes[0].fields = [:]
    delta.changes[0].removed = []
    #expect(
      LogText.lines(delta, .on, within: 100).last
        == "  orders  \u{1B}[33m~7 updated\u{1B}[0m (1, 2, 3, 4, 5, … 2 more)"
    )
  }

  @Test func `what is not in the file stands out on a terminal`() {
    #expect(
      LogText.lines(delta, .on, within: 100).last
        == "  users   \u{1B}[1;31m1 NOT PERSISTED\u{1B}[0m (4; the file has the previous record)"
    )
  }

  @Test func `who wanted a commit and why shows below it`() throws {
    var delta = delta
    (delta.commit.first, delta.changes) = (15, [])
    delta.commit.contexts = [
      ContextSummary(
        user: "ann\u{1B}",
        request: "7",
        trace: "4bf9",
        call: .init(name: "rename", arguments: #"{"to":"Ann"}"#),
        fields: ["source": "web", "lang": "de"],
        cut: true
      )
    ]
    #expect(
      LogText.lines(delta, .off, within: 100).dropFirst() == [
        #"  by ann\u001b, request 7, trace 4bf9, rename({"to":"Ann"}), lang: de, source: web, cut"#
      ]
    )
    delta.commit.contexts = [
      ContextSummary(revision: 12, call: .init(name: "add", omitted: "too long")),
      ContextSummary(revision: 15, user: "bob"),
    ]
    delta.commit.contextsLeftOut = 3
    #expect(
      LogText.lines(delta, .off, within: 100).dropFirst() == [
        "  12: add(arguments left out: too long)", "  15: by bob",
        "  3 commits more with a context",
      ]
    )
  }
}
