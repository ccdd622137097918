import Foundation
import TestSupport
import Testing

/// What a script may not do: each form with the sentence that refuses it.
///
/// Everything else is what SQLite does.
@Suite struct RefusedFormTests {
  private static let forms: [(script: String, sentence: String)] = [
    // What reaches beyond the tables of the script.
    ("ATTACH DATABASE 'other.sqlite' AS other", "leave ATTACH out"),
    ("DETACH DATABASE other", "leave DETACH out"),
    ("PRAGMA foreign_keys = OFF", "leave PRAGMA foreign_keys out"),
    (
      "SELECT * FROM pragma_table_info('people'); PRAGMA table_info(people)",
      "leave PRAGMA table_info out"
    ),
    ("VACUUM", "leave VACUUM out"),
    ("BEGIN; UPDATE people SET age = 1; COMMIT", "leave BEGIN out"),
    ("BEGIN IMMEDIATE", "leave BEGIN out"),
    ("COMMIT", "leave COMMIT out"),
    ("ROLLBACK", "leave ROLLBACK out"),
    ("SAVEPOINT here", "leave SAVEPOINT out"),
    ("RELEASE here", "leave RELEASE out"),
    ("CREATE VIRTUAL TABLE words USING fts5(text)", "is not allowed"),
    ("SELECT load_extension('other')", "is not allowed"),
    ("UPDATE people SET age = ?", "has no parameters"),
    ("ALTER TABLE people ADD COLUMN lang TEXT DEFAULT \"en\"", "write DEFAULT 'en'"),
    // What no store can hold.
    ("CREATE TABLE words(text TEXT)", Refusal.noID.sentence),
    ("CREATE TABLE words AS SELECT name FROM people", Refusal.noID.sentence),
    ("CREATE TABLE words(id TEXT PRIMARY KEY) WITHOUT ROWID", Refusal.withoutRowID.sentence),
    ("CREATE TABLE words(id INTEGER); INSERT INTO words VALUES (1.5)", Refusal.badID.sentence),
    ("CREATE TABLE words(id TEXT); INSERT INTO words VALUES (NULL)", Refusal.badID.sentence),
    ("CREATE TABLE words(id TEXT); INSERT INTO words VALUES ('a'), ('a')", Refusal.sameID.sentence),
    ("CREATE TABLE words(id TEXT, place GEOMETRY)", Refusal.unknownType.sentence),
    ("UPDATE people SET age = 'old'", Refusal.doesNotFit.sentence),
    ("UPDATE people SET active = 2", Refusal.doesNotFit.sentence),
    ("UPDATE people SET joined = 'yesterday'", Refusal.doesNotFit.sentence),
    ("UPDATE people SET name = CAST(x'ff' AS TEXT)", Refusal.invalidText.sentence),
    ("ALTER TABLE people ADD COLUMN \"\" TEXT", Refusal.noName.sentence),
  ]

  private static func run() async throws -> DifferentialRun {
    // The first seed whose sample has people.
    for seed in UInt64(0)... {
      var random = SeededGenerator(seed: seed)
      let sample = DifferentialSample(using: &random)
      if !sample.people.isEmpty { return try await DifferentialRun(sample) }
    }
    throw CancellationError()
  }

  @Test func `each form is refused with its sentence, and changes nothing`() async throws {
    let run = try await Self.run()
    for (script, sentence) in Self.forms {
      guard case .failed(let detail) = try await run.stored([script]) else {
        Issue.record("\(script) was not refused")
        continue
      }
      #expect(detail.contains(sentence), "\(script): \(detail)")
    }
  }

  @Test func `every refusal of what no store can hold has a form that shows it`() {
    let sentences = Self.forms.map(\.sentence)
    for refusal in Refusal.allCases { #expect(sentences.contains(refusal.sentence)) }
  }
}
