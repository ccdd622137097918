import StrataJournal
import StrataNormalization
import StrataStorage

extension RestoreReport: CustomStringConvertible {
  /// What was restored from what, what is missing, and what was noticed, in sentences for a person.
  public var description: String {
    let lost = loss.map { [$0.description] } ?? []
    return
      ([restored] + lost + parts.sentences() + violations + differences
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
