import Foundation
import Strata
import StrataJournal
import StrataSQL
import StrataSQLite
import TestSupport
import Testing

@Suite struct StoreQueryTests {
  private let sample: Sample

  private static let ada = Person(
    id: 1,
    name: "Ada",
    age: 36,
    city: "London",
    score: .nan,
    active: true,
    joined: Date(timeIntervalSince1970: 1_770_000_000.1239),
    tags: ["a", "b"]
  )

  init() async throws {
    sample = try Sample()
    var initial = SampleState()
    initial.db.people.insert(Self.ada)
    let device = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF"))
    try await sample.write(initial: initial) { store, persistence in
      store.commit("hire", fileID: "App/Staff.swift", function: "hire()", line: 7) {
        $0.db.people.insert(
          Person(
            id: 2,
            name: "Grace 👩🏽‍🚀",
            age: 44,
            city: nil,
            score: -0.0,
            active: false,
            joined: Date(timeIntervalSince1970: 0),
            tags: []
          )
        )
        $0.db.documents.insert(
          Document(
            id: "plan",
            title: "Plan",
            owner: 1,
            size: .max,
            body: Data([0, 255]),
            price: 12.5,
            link: URL(string: "https://example.com/"),
            ratio: 0.1,
            details: Document.Details(language: "fr", pages: 3)
          )
        )
        $0.db.devices.insert(
          Device(
            id: EntityID(device),
            owner: 2,
            Owner: "Grace",
            rowid: 99
          )
        )
      }
      try await persistence.snapshot(named: "hired")
      store.commit("move") { state in
        try? state.db.people.update(1) { $0.city = "Turin" }
      }
      store.commit("birthday") { state in
        try? state.db.people.update(1) { $0.age = 37 }
        state.db.people.remove(2)
      }
    }
  }

  @Test func `each kind has its value in SQL`() throws {
    #expect(
      try sample.rows("SELECT * FROM people", at: "1") == [
        [
          1, "Ada", 36, "London", nil, 1, "2026-02-02 02:40:00.123Z", #"["a","b"]"#,
        ],
        [
          2, "Grace 👩🏽‍🚀", 44, nil, 0.0, 0, "1970-01-01 00:00:00.000Z", "[]",
        ],
      ]
    )
    #expect(
      try sample.rows("SELECT * FROM documents") == [
        [
          "plan", "Plan", 1, "18446744073709551615", [0, 255], 12.5, "https://example.com/", 0.1,
          #"{"language":"fr","pages":3}"#,
        ]
      ]
    )
  }

  @Test func `names that clash or are reserved are quoted, and clashing ones numbered`() throws {
    let result = try sample.result("SELECT * FROM \"Order\"")
    #expect(result.columns == ["id", "owner", "Owner:2", "rowid"])
    #expect(
      try result.rows() == [["6F9619FF-8B86-D011-B42D-00CF4FC964FF", 2, "Grace", 99]]
    )
    #expect(
      try sample.rows("SELECT \"owner:2\", rowid FROM \"order\" WHERE owner = 2") == [
        ["Grace", 99]
      ]
    )
  }

  @Test func `a UUID is found in any case`() throws {
    let sql = "SELECT rowid FROM \"Order\" WHERE id = '6f9619ff-8b86-d011-b42d-00cf4fc964ff'"
    #expect(try sample.rows(sql) == [[99]])
    #expect(try sample.rows(sql, .copied) == [[99]])
  }

  @Test func `the whole record is a hidden column`() throws {
    #expect(
      try sample.rows("SELECT json_extract(\"record:json\", '$.details.pages') FROM documents")
        == [[3]]
    )
    #expect(try sample.result("SELECT * FROM documents").columns.last == "details")
  }

  @Test func `a table at another revision joins with the table now`() throws {
    let sql = """
      SELECT n.id, o.city, n.city FROM people n JOIN people_at(1) o USING (id)
        WHERE n.city <> o.city
      """
    #expect(try sample.rows(sql) == [[1, "London", "Turin"]])
    #expect(try !sample.result(sql).isStreamed)
    #expect(try sample.rows("SELECT count(*) FROM people_at('HEAD~2')") == [[2]])
    #expect(try sample.rows("SELECT count(*) FROM people_at('snap:hired')") == [[2]])
    #expect(try sample.rows("SELECT count(*) FROM people", at: "0") == [[1]])
    #expect(try sample.rows("SELECT count(*) FROM people_at('@now')") == [[1]])
  }

  @Test func `history has each version with its commit`() throws {
    #expect(
      try sample.rows("SELECT revision, commit_name, op, id, age, city FROM people_history") == [
        [0, nil, "base", 1, 36, "London"], [1, "hire", "put", 2, 44, nil],
        [2, "move", "put", 1, 36, "Turin"], [3, "birthday", "put", 1, 37, "Turin"],
        [3, "birthday", "remove", 2, nil, nil],
      ]
    )
    #expect(
      try sample.rows("SELECT op FROM people_history WHERE id = 2 AND revision > 1") == [["remove"]]
    )
    #expect(
      try sample.rows("SELECT commit_place FROM people_history WHERE revision = 1")
        == [["App/Staff.swift:7 hire()"]]
    )
    #expect(try sample.rows("SELECT count(*) FROM people_history", at: "1") == [[2]])
  }

  @Test func `a diff has what differs between two revisions`() throws {
    #expect(
      try sample.rows(
        "SELECT id, change, from_city, to_city, from_age, to_age FROM people_diff(1, 'HEAD')"
      )
        == [
          [1, "changed", "London", "Turin", 36, 37], [2, "removed", nil, nil, 44, nil],
        ]
    )
    #expect(
      try sample.rows("SELECT id, change, from_name, to_name FROM people_diff(3, 1) WHERE id = 2")
        == [[2, "added", nil, "Grace 👩🏽‍🚀"]]
    )
    #expect(try sample.rows("SELECT * FROM people_diff(2, 2)") == [])
  }

  @Test func `blame names the commit that gave each field its value`() throws {
    #expect(
      try sample.rows(
        "SELECT field, value, revision, commit_name FROM people_blame WHERE field IN ('city', 'age', 'name')"
      ) == [
        ["name", "Ada", 0, nil], ["age", 37, 3, "birthday"], ["city", "Turin", 2, "move"],
      ]
    )
    #expect(
      try sample.rows("SELECT DISTINCT revision FROM documents_blame WHERE id = 'plan'") == [[1]]
    )
    #expect(
      try sample.rows("SELECT commit_name FROM people_blame WHERE field = 'age'", at: "2") == [
        [nil]
      ]
        || sample.rows(
          "SELECT commit_name FROM people_blame WHERE id = 1 AND field = 'age'",
          at: "2"
        )
          == [[nil]]
    )
  }

  @Test func `the log lists the commits`() throws {
    #expect(
      try sample.rows("SELECT revision, commit_time, commit_name, tables, changes FROM strata_log")
        == [
          [1, "2026-02-02 02:40:00.000Z", "hire", "Order, documents, people", 3],
          [2, "2026-02-02 02:40:00.000Z", "move", "people", 1],
          [3, "2026-02-02 02:40:00.000Z", "birthday", "people", 2],
        ]
    )
    #expect(
      try sample.rows("SELECT revision FROM strata_log WHERE revision >= 2 ORDER BY revision") == [
        [2], [3],
      ]
    )
  }

  @Test func `one reference to a table is streamed, and anything else is copied`() throws {
    for (sql, isStreamed) in [
      ("SELECT * FROM people", true), ("SELECT count(*) FROM people WHERE id = 1", true),
      ("SELECT id FROM people WHERE id IN (1, 2) ORDER BY id LIMIT 1", true),
      ("SELECT city, count(*) FROM people GROUP BY city", true),
      ("WITH p AS (SELECT * FROM people) SELECT * FROM p", true),
      ("SELECT * FROM people a, people b", false),
      ("SELECT * FROM people WHERE id IN (SELECT owner FROM documents)", false),
      ("SELECT value, (SELECT count(*) FROM people) FROM json_each('[1,2]')", false),
    ] {
      #expect(try sample.result(sql).isStreamed == isStreamed, "\(sql)")
    }
  }

  @Test func `what is more than reading is refused`() throws {
    for (sql, action) in [
      ("ATTACH ':memory:' AS x", "ATTACH"), ("PRAGMA page_size", "PRAGMA"),
      ("SELECT * FROM pragma_table_list", "PRAGMA"),
      ("DELETE FROM people", "writing into a table"),
      ("CREATE TABLE t(a)", "INSERT"), ("BEGIN", "a transaction"),
      ("SELECT load_extension('x')", "load_extension()"), ("VACUUM INTO 'x'", "this statement"),
      ("SELECT 1; ATTACH ':memory:' AS x", "ATTACH"),
    ] where RawSQLite.loadsExtensions || !sql.contains("load_extension") {
      #expect(try queryError { try sample.rows(sql) } == .refused(action), "\(sql)")
    }
  }

  @Test func `a statement that takes too much ends with a typed error`() throws {
    var query = StoreQuery(path: sample.path)
    query.timeLimit = .milliseconds(200)
    let endless =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    #expect(try queryError { try query.run(endless) } == .timeLimit(.milliseconds(200)))
    guard case .valueTooLarge? = try queryError({ try query.run("SELECT randomblob(1e9)") }) else {
      Issue.record("randomblob(1e9) was answered")
      return
    }
  }

  @Test func `mistakes are reported with what helps`() throws {
    #expect(
      try queryError { try sample.rows("SELECT * FROM persons") }
        == .noTable("persons", known: ["Order", "documents", "people"])
    )
    let unknown = try queryError { try sample.rows("SELECT missing FROM people") }
    #expect(unknown == .sql("no such column: missing", offset: 7))
    #expect(try queryError { try sample.rows("SELECT ?") } == .parameters(1))
    for sql in ["", "-- nothing", "SELECT 1; SELECT 2"] {
      guard case .notOneStatement? = try queryError({ try sample.rows(sql) }) else {
        Issue.record("“\(sql)” was answered")
        return
      }
    }
    for sql in [
      "SELECT * FROM people_at", "SELECT * FROM people_at('tomorrow')",
      "SELECT * FROM people_diff(1)", "SELECT * FROM people_at(NULL)",
    ] {
      guard case .argument? = try queryError({ try sample.rows(sql) }) else {
        Issue.record("\(sql) was answered")
        return
      }
    }
  }

  @Test func `a revision that the file does not have is an error of the store`() throws {
    for sql in ["SELECT * FROM people_at(9)", "SELECT * FROM people_at('snap:none')"] {
      #expect(throws: PersistenceError.self) { try sample.rows(sql) }
    }
    #expect(throws: PersistenceError.self) { try sample.rows("SELECT 1", at: "HEAD~9") }
  }
}
