import Strata
import StrataInspection
import StrataJournal
import StrataSQL
import StrataSQLite
import TestSupport
import Testing

/// The statements that a difference has as SQL.
@Suite struct DifferenceStatementsTests {
  private func statements(_ from: Int64, _ to: Int64, of sample: Sample) throws -> [String] {
    let inspector = try Inspector(path: sample.path)
    let span = RevisionSpan(
      from: .point(.revision(Revision(from))),
      to: .point(.revision(Revision(to)))
    )
    return try DifferenceStatements(inspector).lines(inspector.diff(span, depth: .fields))
  }

  private func export(_ revision: Int64, of sample: Sample, _ name: String) throws -> String {
    let file = sample.directory.path("\(name).sqlite")
    let export = StoreExport(path: sample.path, at: .point(.revision(Revision(revision))))
    _ = try export.write(toDatabase: file)
    return file
  }

  /// Each row of each table of an exported file, as SQLite quotes its values.
  private func rows(ofExport file: String) throws -> [String] {
    let connection = try Connection(path: file, mode: .readOnly)
    let names = try connection.all("SELECT name FROM sqlite_schema WHERE type = 'table'") {
      row throws(SQLiteError) in try row.text(0)
    }
    var rows: [String] = []
    for name in names {
      rows += try connection.all("SELECT * FROM \"\(name)\"") { row throws(SQLiteError) in
        var values: [Value] = []
        for column in 0..<row.count { values.append(try row.value(column)) }
        return "\(name) \(values)"
      }
    }
    return rows.sorted()
  }

  @Test func `they change an export of one revision into that of another`() async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let sample = try Sample()
    var commits: [@Sendable (inout SampleState) -> Void] = []
    for _ in 0..<12 {
      let people = (0..<6).map { _ in
        Person.random(.random(in: -10...10, using: &random), using: &random)
      }
      let documents = (0..<6).map { _ in
        Document.random(.random(in: 0...12, using: &random), people: 9, using: &random)
      }
      let removed = (0..<3).map { _ in Int.random(in: -10...10, using: &random) }
      commits.append { state in
        for id in removed {
          state.db.people.remove(Person.ID(id))
          state.db.documents.remove(Document.ID("doc-\(id)"))
        }
        state.db.people.insert(contentsOf: people)
        state.db.documents.insert(contentsOf: documents)
      }
    }
    let all = commits
    try await sample.write { store, _ in
      for commit in all { store.commit { commit(&$0) } }
    }
    for round in 0..<20 {
      let (from, to) = (
        Int64.random(in: 0...12, using: &random), Int64.random(in: 0...12, using: &random)
      )
      let files = [
        try export(from, of: sample, "\(round)-a"), try export(to, of: sample, "\(round)-b"),
      ]
      let lines = try statements(from, to, of: sample)
      #expect(lines.isEmpty == (from == to), "\(from)..\(to), seed \(seed)")
      try RawSQLite.run(lines.joined(separator: "\n"), on: files[0])
      #expect(
        try rows(ofExport: files[0]) == rows(ofExport: files[1]),
        "\(from)..\(to), seed \(seed)"
      )
    }
  }

  @Test func `a text that would leave its line, or its quotes, stays a text`() async throws {
    let sample = try Sample()
    let texts = [
      "it's", "');DELETE FROM people;--", "two\nlines", "\u{1B}[31m", "a\u{0}b", "\u{202E}x",
    ]
    try await sample.write { store, _ in
      store.commit { state in
        for (number, text) in texts.enumerated() {
          var random = SeededGenerator(seed: 1)
          var person = Person.random(number, using: &random)
          person.name = text
          state.db.people.insert(person)
        }
      }
    }
    let lines = try statements(0, 1, of: sample)
    #expect(lines.count == texts.count + 2)
    #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
    let files = [try export(0, of: sample, "a"), try export(1, of: sample, "b")]
    try RawSQLite.run(lines.joined(separator: "\n"), on: files[0])
    #expect(try rows(ofExport: files[0]) == rows(ofExport: files[1]))
  }
}
