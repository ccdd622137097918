import Foundation
import Strata
import StrataInspection
import StrataSQL
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// 1,000 generated queries give the same over records that are streamed, over copies of the tables, over the
/// tables of an exported SQLite file, and over tables of plain SQLite that the test fills from the entities.
@Suite struct QueryLawTests {
  private static let count = 60

  @Test func `streamed, copied and plain tables give the same`() async throws {
    var random = SeededGenerator(seed: .random(in: 0 ... .max))
    let sample = try Sample()
    var people: [Person] = []
    var documents: [Document] = []
    for id in -20..<Self.count { people.append(.random(id * 3, using: &random)) }
    for id in 0..<Self.count {
      documents.append(.random(id, people: Self.count * 3, using: &random))
    }
    let (allPeople, allDocuments) = (people, documents)
    var initial = SampleState()
    initial.db.people.insert(contentsOf: people.prefix(30))
    try await sample.write(initial: initial) { store, _ in
      store.commit { state in
        state.db.people.insert(contentsOf: allPeople.dropFirst(30))
        state.db.documents.insert(contentsOf: allDocuments)
      }
    }
    let plain = try Self.plain(people, documents)
    let file = sample.directory.path("exported.sqlite")
    _ = try StoreExport(path: sample.path, at: .head(back: 0)).write(toDatabase: file)
    let exported = try Connection(path: file, mode: .readOnly)
    func rows(_ sql: String, of connection: Connection) throws -> [[Value]] {
      try connection.all(sql) { row in
        var values: [Value] = []
        for column in 0..<row.count { values.append(try row.value(column)) }
        return values
      }
    }

    let rounds = loopCount("STRATA_QUERIES", 300)
    for _ in 0..<rounds {
      let query = GeneratedQuery(using: &random)
      let streamed = try sample.rows(query.sql)
      let copied = try sample.rows(query.sql, .copied)
      let expected = try rows(query.sql, of: plain)
      let inOrder = { (rows: [[Value]]) in
        query.isOrdered ? rows.map { "\($0)" } : rows.map { "\($0)" }.sorted()
      }
      let areStreamedEqual = inOrder(streamed) == inOrder(expected)
      let areCopiedEqual = inOrder(copied) == inOrder(expected)
      let areExportedEqual = try inOrder(rows(query.sql, of: exported)) == inOrder(expected)
      try #require(areExportedEqual, "\(query.sql) \(random)")
      try #require(areStreamedEqual, "\(query.sql) \(random)")
      try #require(areCopiedEqual, "\(query.sql) \(random)")
    }
  }

  private static func plain(_ people: [Person], _ documents: [Document]) throws -> Connection {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE people(id INTEGER, name TEXT, age INTEGER, city TEXT, score DOUBLE,
        active BOOLEAN, joined TEXT, tags TEXT);
      CREATE TABLE documents(id TEXT, title TEXT, owner INTEGER, size, body BLOB,
        price NUMERIC, link TEXT, ratio REAL, details TEXT);
      """
    )
    for person in people.sorted(by: { $0.id.raw < $1.id.raw }) {
      try connection.run(
        "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, strftime('%Y-%m-%d %H:%M:%f', ?, 'unixepoch') || 'Z', ?)",
        [
          .integer(Int64(person.id.raw)), .text(person.name), .integer(Int64(person.age)),
          .text(orNull: person.city), person.score.map { .real($0 + 0) } ?? .null,
          .integer(person.active ? 1 : 0),
          .real((person.joined.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000),
          .text("[" + person.tags.map { "\"\($0)\"" }.joined(separator: ",") + "]"),
        ]
      )
    }
    for document in documents.sorted(by: { $0.id.raw < $1.id.raw }) {
      try connection.run(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
          .text(document.id.raw), .text(document.title), .integer(Int64(document.owner.raw)),
          Int64(exactly: document.size).map { .integer($0) } ?? .text("\(document.size)"),
          .blob(Array(document.body)), .real(Double("\(document.price)") ?? .nan),
          .text(orNull: document.link?.absoluteString),
          .real(Double("\(document.ratio)") ?? .nan),
          .text(
            orNull: document.details.map { #"{"language":"\#($0.language)","pages":\#($0.pages)}"# }
          ),
        ]
      )
    }
    return connection
  }
}

/// A random SELECT, with all that narrows rows and orders them.
private struct GeneratedQuery {
  let sql: String
  let isOrdered: Bool

  private static let people = ["id", "name", "age", "city", "score", "active", "joined", "tags"]
  /// In the usual form, which compares as a text in a file for other programs, and as a time elsewhere.
  private static let times = [
    "'2026-02-03 04:05:06.789Z'", "'1970-01-01 00:00:00.000Z'", "'2100-01-01 00:00:00.000Z'",
    "NULL",
  ]
  private static let documents = [
    "id", "title", "owner", "size", "body", "price", "link", "ratio", "details",
  ]

  init(using random: inout SeededGenerator) {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }
    let table = pick(["people", "documents"])
    let columns = table == "people" ? Self.people : Self.documents
    let ids =
      table == "people"
      ? [
        "-60", "0", "12", "42", "177", "43", "'12'", "' 42 '", "4.5", "12.0", "NULL", "'x'",
        "1e300",
      ]
      : [
        "'doc-0'", "'doc-12'", "'doc-59'", "'doc'", "''", "12", "NULL", "'DOC-12'", "x'00'",
        "'doc-2'",
      ]
    let values =
      ["0", "12", "36", "'12'", "'Oslo'", "'Ada'", "0.5", "NULL", "'Émile'", "'2026'", "12.5", "1"]
    let comparison = { (random: inout SeededGenerator) in
      ["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"].randomElement(using: &random) ?? "="
    }
    func condition(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth > 0 ? 10 : 8), using: &random) {
      case 0, 1: return "id = \(pick(ids))"
      case 2: return "id IN (\(pick(ids)), \(pick(ids)), \(pick(ids)))"
      case 3: return "id BETWEEN \(pick(ids)) AND \(pick(ids))"
      case 4: return "id \(comparison(&random)) \(pick(ids))"
      case 5:
        let column = pick(columns)
        return "\(column) \(comparison(&random)) \(pick(column == "joined" ? Self.times : values))"
      case 6: return "\(pick(columns)) IS NOT NULL"
      case 7: return "\(pick(ids)) \(comparison(&random)) id COLLATE NOCASE"
      case 8: return "(\(condition(depth - 1)) AND \(condition(depth - 1)))"
      default: return "(\(condition(depth - 1)) OR NOT \(condition(depth - 1)))"
      }
    }
    var text = ""
    let shape = pick(["columns", "columns", "all", "count", "group", "join", "subquery"])
    let filter = chance(80) ? " WHERE \(condition(2))" : ""
    switch shape {
    case "all":
      text = "SELECT * FROM \(table)\(filter)"
    case "count":
      text = "SELECT count(*), min(\(pick(columns))), max(id) FROM \(table)\(filter)"
    case "group":
      let column = pick(columns)
      text = "SELECT \(column), count(*), min(id) FROM \(table)\(filter) GROUP BY \(column)"
    case "join":
      let key = pick(["p.id = d.owner", "d.owner = p.id", "p.age = d.owner", "p.name = d.title"])
      text =
        "SELECT p.id, d.id, p.city FROM people p \(pick(["", "LEFT "]))JOIN documents d ON \(key)"
        + (chance(50) ? " WHERE p.age > 40" : "")
    case "subquery":
      text =
        "SELECT id FROM people WHERE id \(pick(["", "NOT "]))IN (SELECT owner FROM documents"
        + " WHERE price > \(pick(values)))"
    default:
      let chosen = (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(columns) }
      text =
        "SELECT \(pick(["", "DISTINCT "]))\(chosen.joined(separator: ", ")) FROM \(table)\(filter)"
    }
    // An order is only the same everywhere if no two rows are equal in it.
    let isOrdered = shape == "all" && chance(70)
    if isOrdered {
      let first = chance(50) ? "" : "\(pick(columns)) \(pick(["", "DESC"])), "
      text += " ORDER BY \(first)id\(pick(["", " DESC"]))"
      if chance(50) { text += " LIMIT \(pick(["0", "1", "7"])) OFFSET \(pick(["0", "3"]))" }
    }
    sql = text
    self.isOrdered = isOrdered
  }
}
