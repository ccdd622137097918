import StrataArchive
import StrataJournal
import StrataNormalization
import StrataStorage

extension RestoreReport: CustomStringConvertible {
  /// What was restored from what, what is missing, and what was noticed, in sentences for a person.
  public var description: String {
    let sources = [loss?.description, archive?.description].compactMap(\.self).filter {
      !$0.isEmpty
    }
    return
      ([restored] + sources + migrated + violations + differences
      + otherNotes.map(\.sentence)).joined(separator: " ")
  }

  /// The notes that do not say what ``violations`` says.
  private var otherNotes: [String] {
    let said = Set(danglingReferences.map { "\($0)" } + brokenRules.map(\.sentence))
    return notes.filter { !said.contains($0) }
  }

  private var restored: String {
    let entities = Measures.count(entities, "entity", "entities")
    let source = """
      from the snapshot of revision \(snapshotRevision) and \
      \(Measures.count(replayedDeltas, "delta", "deltas")) after it
      """
    switch outcome {
    case .fresh: return "Created a new file from the initial state, with \(entities)."
    case .restored: return "Restored \(entities) at revision \(revision), \(source)."
    case .waitingForMigration:
      return "Nothing is restored yet: the leader has to migrate the data first."
    case .restoredWithLoss:
      return "Restored with loss: \(entities) at revision \(revision), \(source)."
    }
  }

  /// What ran, where the file is as it was before, and what failed afterwards.
  private var migrated: [String] {
    guard let migrations, !migrations.steps.isEmpty else { return [] }
    let names = migrations.steps.map(\.name).joined(separator: ", ")
    let steps = Measures.count(migrations.steps.count, "migration", "migrations")
    let backup = migrations.backup.map { " The file as it was before is \($0)." } ?? ""
    let ran =
      "Ran \(steps), from revision \(migrations.before) to \(migrations.after): \(names).\(backup)"
    return [ran] + migrations.notes.map(\.sentence)
  }

  private var violations: [String] {
    var broken = brokenRules.prefix(5).map(\.sentence)
    if brokenRules.count > 5 { broken.append("and \(brokenRules.count - 5) more") }
    let rules =
      broken.isEmpty ? [] : ["the data breaks rules: \(broken.joined(separator: "; "))".sentence]
    return rules + danglingReferences.map(\.description.sentence)
  }

  private var differences: [String] {
    [
      Self.sentence("New to the file, and taken from the initial state", newTables, newValues),
      Self.sentence("Unknown to this build, and left in the file", unknownTables, unknownValues),
    ].compactMap(\.self)
  }

  private static func sentence(_ title: String, _ tables: [String], _ values: [String]) -> String? {
    let parts = [
      tables.isEmpty
        ? nil : "the \(tables.count == 1 ? "table" : "tables") \(tables.joined(separator: ", "))",
      values.isEmpty
        ? nil : "the \(values.count == 1 ? "value" : "values") \(values.joined(separator: ", "))",
    ].compactMap(\.self)
    return parts.isEmpty ? nil : "\(title): \(parts.joined(separator: "; "))."
  }
}
