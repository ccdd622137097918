import Foundation
import Strata
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataScripts
import TestSupport
import Testing

/// Times in SQL, which compare as times, however they are written.
@Suite struct TimesTests {
  private let sample: Sample

  init() async throws {
    sample = try Sample()
    try await sample.write { store, _ in
      store.commit { state in
        for (id, time) in [(1, 0.25), (2, 86_400), (3, 63_072_000)] {
          let person = Person(
            id: EntityID(id),
            name: "Ann \(id)",
            age: id,
            city: nil,
            score: nil,
            active: true,
            joined: Date(timeIntervalSince1970: time),
            tags: []
          )
          state.db.people.insert(person)
        }
      }
    }
  }

  private static let conditions: [(String, [Int64])] = [
    ("joined = '1970-01-02'", [2]), ("joined = '1970-01-02T00:00Z'", [2]),
    ("joined < '1970-01-02T00:00:00.001Z'", [1, 2]), ("joined > '1970-01-01T00:00:01'", [2, 3]),
    ("joined BETWEEN '1970-01-01' AND '1970-01-01T23:59:59Z'", [1]),
    ("joined = datetime(86400, 'unixepoch')", [2]), ("joined IN ('1972-01-01', 'x')", [3]),
    // What is no time is above all times.
    ("joined < 'soon'", [1, 2, 3]), ("joined = ''", []),
  ]

  @Test(arguments: conditions)
  func `queries compare times`(_ condition: String, _ ids: [Int64]) throws {
    let sql = "SELECT id FROM people WHERE \(condition) ORDER BY id"
    let expected = ids.map { [Value.integer($0)] }
    #expect(try sample.rows(sql) == expected)
    #expect(try sample.rows(sql, .copied) == expected)
  }

  @Test(arguments: conditions)
  func `scripts compare times`(_ condition: String, _ ids: [Int64]) async throws {
    let script = """
      -- strata:allow destructive(people)
      DELETE FROM people WHERE NOT (\(condition))
      """
    try await DataMigrator([try DataMigration("0001_times", sql: script)], at: sample.path).up()
    #expect(
      try sample.rows("SELECT id FROM people ORDER BY id") == ids.map { [Value.integer($0)] }
    )
  }

  @Test func `the order of texts as times is total`() {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    func text() -> String {
      let parts = [
        "2026-02-03", "2026-02-29", "2024-02-29", "1970-01-01", "0000-01-01", "9999-12-31", "x", "",
        "2026-13-01",
      ]
      let times = [
        "", " 04:05", "T04:05:06Z", " 04:05:06.789Z", " 04:05:06.7891Z", "T24:00:00Z", "Z", " ",
      ]
      return (parts.randomElement(using: &random) ?? "")
        + (times.randomElement(using: &random) ?? "")
    }
    func order(_ a: String, _ b: String) -> Int32 {
      Array(a.utf8).withUnsafeBytes { a in
        Array(b.utf8).withUnsafeBytes { b in Timestamp.order(a, b) }
      }
    }
    for _ in 0..<loopCount("STRATA_TIMES", 3_000) {
      let (a, b, c) = (text(), text(), text())
      let comment: Comment = "\(a), \(b), \(c) \(random)"
      #expect(order(a, a) == 0, comment)
      #expect(order(a, b) == -order(b, a), comment)
      if order(a, b) <= 0, order(b, c) <= 0 { #expect(order(a, c) <= 0, comment) }
      if let first = Date(timeText: a), let second = Date(timeText: b) {
        #expect((order(a, b) < 0) == (first < second), comment)
      }
    }
  }
}
