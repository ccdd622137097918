package import StrataJournal
package import StrataMigrating
import StrataSQL
package import StrataScripts
import StrataStorage

/// The text output of `strata migrate`.
package enum MigrationText {
  /// A row for each migration.
  package static func status(_ status: MigrationStatus, within limit: Int) -> TextTable<[[String]]>
  {
    TextTable(
      [.init("migration"), .init("form"), .init("state"), .init("way back"), .init("applied")],
      status.entries.map { entry in
        [
          entry.name.printable, entry.form.rawValue, entry.state.rawValue,
          entry.isReversible ? "yes" : "no",
          entry.applied.map { Measures.time($0.date) } ?? "",
        ]
      },
      within: limit
    )
  }

  /// What a status says in a sentence.
  package static func summary(_ status: MigrationStatus) -> String {
    let pending = Measures.count(status.pending.count, "migration is", "migrations are")
    let position = "The store is at revision \(status.revision)"
    return status.pending.isEmpty
      ? "\(position), and no migration is pending." : "\(position), and \(pending) pending."
  }

  /// A row for each row of the ledger.
  package static func history(
    _ applied: [AppliedMigration],
    within limit: Int
  ) -> TextTable<[[String]]> {
    TextTable(
      [
        .init("number", .right), .init("migration"), .init("form"), .init("applied"),
        .init("took", .right), .init("revision", .right), .init("checksum"),
      ],
      applied.map { row in
        [
          "\(row.number)", row.name.printable, row.form.rawValue, Measures.time(row.date),
          row.duration.inSeconds, "\(row.revision)", String(row.checksum.prefix(12)),
        ]
      },
      within: limit
    )
  }

  /// The lines of a run, or of what would run.
  package static func report(_ report: MigrationReport, _ highlighting: Highlighting) -> [String] {
    report.lines { highlighting.warning($0) }
  }

  /// Why nothing ran.
  package static func nothing(
    _ direction: MigrationReport.Direction,
    to number: Int?,
    _ status: MigrationStatus
  ) -> String {
    let last = status.entries.last { $0.state != .pending }?.number
    switch (direction, number, last) {
    case (.down, _, nil): return "There is nothing to take back: no migration has run."
    case (.down, _, let last?):
      return "There is nothing to take back: the store is at migration \(last)."
    case (.up, let number?, _) where !status.pending.isEmpty:
      let pending = Measures.count(status.pending.count, "migration is", "migrations are")
      return "There is nothing to run up to migration \(number), which has run; \(pending) pending."
    case (.up, _, _): return "There is nothing to migrate: no migration is pending."
    }
  }

  /// What a run did, in a sentence.
  package static func summary(_ report: MigrationReport, isPlan: Bool) -> String {
    let count = report.steps.count
    let steps = Measures.count(count, "migration", "migrations")
    let time = report.duration.inSeconds
    if isPlan, report.direction == .down {
      return "Planned to take back \(steps) in \(time). The store was not changed."
    }
    if isPlan { return "Planned \(steps) in \(time). The store was not changed." }
    let backup = report.backup.map { " The backup is \($0.printable)." } ?? ""
    let range = "from revision \(report.before) to \(report.after)"
    let done = report.direction == .up ? "Ran" : "Took back"
    return """
      \(done) \(steps) in \(time), \(range).\(backup)
      Whether the program can read the result was not checked: the command does not have its types.
      """
  }

  /// What a revert did.
  package static func revert(
    _ report: MigrationReport,
    to revision: Revision,
    _ pending: [String],
    restored: [String]
  ) -> [String] {
    let backup = report.backup.map { " The backup is \($0.printable)." } ?? ""
    let change =
      report.before == report.after
      ? "The data is what it was at revision \(revision) already."
      : "The data is what it was at revision \(revision), as revision \(report.after)."
    let names = pending.map(\.printable).joined(separator: ", ")
    var migrations = pending.isEmpty ? [] : ["Pending again: \(names)."]
    if !restored.isEmpty {
      migrations.append(
        "Has run by then, and is in the ledger again: \(restored.map(\.printable).joined(separator: ", "))."
      )
    }
    return [change + backup] + migrations + report.notes.map { "note  \($0.printable)" }
  }

  /// An error of the migrations of a store with its remedy.
  package static func sentence(_ error: DataMigrationError, of store: String) -> String {
    "\(error.description.sentence) \(error.remedy(at: store))"
  }

  /// How a script differs from the one that ran: equal words, `-` removed and `+` added ones.
  package static func lines(_ difference: ScriptDifference) -> [String] {
    difference.parts.map { part in
      switch part {
      case .same(let words): "    \(words.printable)"
      case .removed(let words): "  - \(words.printable)"
      case .added(let words): "  + \(words.printable)"
      }
    }
  }

  static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, rest) = duration.components
    return seconds * 1_000 + rest / 1_000_000_000_000_000
  }
}
