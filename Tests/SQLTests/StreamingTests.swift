import Foundation
import Strata
import StrataJournal
import StrataSQL
import StrataSQLite
import TestSupport
import Testing

/// What a query does not need is not read.
@Suite struct StreamingTests {
  /// A store with several chunks of people in its newest snapshot, of which the last one is damaged.
  private static func damagedSample() async throws -> Sample {
    let sample = try Sample()
    var random = SeededGenerator(seed: 7)
    var people: [Person] = []
    for id in 0..<20_000 { people.append(.random(id, using: &random)) }
    var initial = SampleState()
    initial.db.people.insert(contentsOf: people)
    try await sample.write(initial: initial) { _, _ in }
    let connection = try Connection(path: sample.path, mode: .readWrite)
    let chunks = try connection.first("SELECT count(*) FROM chunk") {
      row throws(SQLiteError) in try row.int(0)
    }
    try #require(chunks ?? 0 > 2)
    try connection.run(
      """
      UPDATE chunk SET body = zeroblob(length(body)) WHERE id = (SELECT chunk FROM listing
        WHERE entity_table = 'people' ORDER BY revision DESC, first DESC LIMIT 1)
      """
    )
    try connection.checkpoint(.truncate)
    try connection.close()
    return sample
  }

  @Test func `only the chunks up to the last needed row are read`() async throws {
    let sample = try await Self.damagedSample()
    for sql in [
      "SELECT id FROM people LIMIT 3", "SELECT id FROM people ORDER BY id LIMIT 3",
      "SELECT id FROM people WHERE id IN (2, 1, 0)", "SELECT id FROM people_at('HEAD') LIMIT 3",
    ] {
      #expect(try sample.rows(sql) == [[0], [1], [2]], "\(sql)")
    }
    for sql in ["SELECT count(*) FROM people", "SELECT * FROM people WHERE id = 19999"] {
      let error = #expect(throws: PersistenceError.self) { try sample.rows(sql) }
      guard case .damaged? = error?.reason else {
        Issue.record("\(sql): \(String(describing: error))")
        return
      }
    }
  }
}
