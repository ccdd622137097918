import TestSupport
import Testing

/// That the differential test can fail: it makes every form, sees every kind of difference, and makes cases smaller.
@Suite struct HarnessTests {
  @Test func `every form is made, and is part of scripts that run`() async throws {
    // SQLite takes a name that differs in case alone for a name that is taken.
    var left = Set(ScriptStatement.Form.allCases).subtracting([.renameTableCase])
    var finished = 0
    for group in 0..<30 {
      var random = SeededGenerator(seed: 1, step: group)
      let run = try await DifferentialRun(DifferentialSample(using: &random))
      for number in 0..<40 {
        var generator = ScriptGenerator(
          run.tables.contents,
          using: SeededGenerator(seed: 2, step: group * 40 + number)
        )
        let scripts = generator.scripts()
        guard case .finished = try run.plain(scripts) else { continue }
        finished += 1
        left.subtract(scripts.flatMap { $0 }.map(\.form))
      }
    }
    #expect(left.isEmpty, "\(left)")
    #expect(finished > 375, "of 1,200 scripts that SQLite was given, \(finished) ran")
  }

  private static let differences: [(String, String, Difference.Kind?)] = [
    ("UPDATE documents SET title = 'a'", "UPDATE documents SET title = 'a'", nil),
    ("UPDATE documents SET title = 'a'", "UPDATE documents SET title = 'b'", .values),
    ("UPDATE documents SET size = 0", "UPDATE documents SET size = 1", .values),
    ("UPDATE documents SET owner = NULL", "UPDATE documents SET owner = 7", .values),
    ("UPDATE documents SET title = 'a'", "UPDATE documents SET titel = 'a'", .failed),
    ("UPDATE documents SET titel = 'a'", "UPDATE documents SET title = 'a'", .passed),
    ("UPDATE documents SET titel = 'a'", "UPDATE documents SET titles = 'a'", .message),
    ("SELECT 1", "DELETE FROM documents", .ids),
    ("SELECT 1", "INSERT INTO documents(id) VALUES ('new')", .ids),
    ("SELECT 1", "ALTER TABLE documents ADD COLUMN more TEXT", .columns),
    ("ALTER TABLE documents RENAME TO d", "ALTER TABLE documents RENAME TO e", .tables),
    ("CREATE TABLE t(text TEXT)", "SELECT 1", .notRefused),
    ("SELECT 1", "UPDATE documents SET title = title || 'x'", .values),
  ]

  @Test func `a difference of each kind is seen`() async throws {
    var random = SeededGenerator(seed: 3)
    let sample = DifferentialSample(using: &random)
    let run = try await DifferentialRun(sample)
    for (plain, stored, kind) in Self.differences {
      let statement = ScriptStatement(form: .select, sql: plain)
      let scripts = ScriptCase(sample: sample, scripts: [[statement]])
      let comparison = try await Comparison(scripts, on: run, against: [stored])
      #expect(
        comparison.difference?.kind == kind,
        "\(plain) and \(stored): \(comparison.difference?.description ?? "none")"
      )
    }
  }

  @Test func `a case is made as small as it can be`() async {
    var random = SeededGenerator(seed: 4)
    let sample = DifferentialSample(using: &random)
    let statements = ScriptStatement.Form.allCases.prefix(8).map {
      ScriptStatement(form: $0, sql: "SELECT '\($0)'")
    }
    let scripts = ScriptCase(
      sample: sample,
      scripts: [Array(statements[..<4]), Array(statements[4...])]
    )
    let wanted: Set<ScriptStatement.Form> = [statements[1].form, statements[6].form]
    let smallest = await scripts.smallest { candidate in
      wanted.isSubset(of: candidate.statements.map(\.form)) && !candidate.sample.documents.isEmpty
    }
    #expect(smallest.scripts == [[statements[1], statements[6]]])
    #expect(smallest.sample.documents.count == 1 && smallest.sample.smaller.isEmpty)
  }
}
