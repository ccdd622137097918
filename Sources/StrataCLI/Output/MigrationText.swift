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
    let written = status.stragglers.sorted { $0.key < $1.key }.map { table, count in
      "\(Measures.count(count, "record", "records")) of \(table.printable)"
    }
    let older =
      written.isEmpty
      ? ""
      : "\nOlder builds have written since: \(written.joined(separator: ", ")); see `strata migrate stragglers`."
    return
      (status.pending.isEmpty
      ? "\(position), and no migration is pending." : "\(position), and \(pending) pending.")
      + older
  }

  /// A row for each record of an older build.
  package static func stragglers(
    _ stragglers: [MigrationStraggler],
    within limit: Int
  ) -> TextTable<[[String]]> {
    TextTable(
      [.init("table"), .init("id"), .init("knew", .right)],
      stragglers.map { [$0.table.printable, $0.id.printable, "\($0.known)"] },
      within: limit
    )
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
          time(row.duration), "\(row.revision)", String(row.checksum.prefix(12)),
        ]
      },
      within: limit
    )
  }

  /// The lines of a run, or of what would run.
  package static func report(_ report: MigrationReport, _ highlighting: Highlighting) -> [String] {
    report.steps.flatMap { lines($0, report.direction, highlighting) }
      + report.notes.map { "\(highlighting.warning("note"))  \($0.printable)" }
  }

  private static func lines(
    _ step: MigrationReport.Step,
    _ direction: MigrationReport.Direction,
    _ highlighting: Highlighting
  ) -> [String] {
    let arrow = direction == .up || step.isForStragglers ? "" : "back from "
    let delta =
      step.revision.map { "revision \($0), \(Measures.size(step.bytes))" } ?? "changes nothing"
    let stragglers = step.isForStragglers ? ", only records of an older build" : ""
    var lines = ["\(arrow)\(step.name.printable)  \(time(step.duration)), \(delta)\(stragglers)"]
    let width = step.tables.map(\.formerName.printable.columnCount).max() ?? 0
    for table in step.tables {
      let name = table.formerName.printable
      let gap = String(repeating: " ", count: width - name.columnCount + 2)
      lines.append("  \(name)\(gap)\(table.changes)")
    }
    for finding in step.findings {
      let text = finding.description.printable
      let mark =
        finding.isRefused
        ? highlighting.warning("refused") : finding.isAllowed ? "allowed" : "note"
      lines.append("  \(mark)  \(text)")
      if let permission = finding.permission {
        lines.append("           if this is intended: \(permission.printable)")
      }
    }
    return lines
  }

  /// What a run did, in a sentence.
  package static func summary(_ report: MigrationReport, isPlan: Bool) -> String {
    let count = report.steps.count
    guard count > 0 else {
      return report.direction == .up
        ? "There is nothing to migrate: no migration is pending."
        : "There is nothing to take back: no migration has run."
    }
    let steps = Measures.count(count, "migration", "migrations")
    let time = time(report.duration)
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

  /// `0.52 s`.
  private static func time(_ duration: Duration) -> String {
    let hundredths = (milliseconds(duration) + 5) / 10
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }

  static func milliseconds(_ duration: Duration) -> Int64 {
    let (seconds, rest) = duration.components
    return seconds * 1_000 + rest / 1_000_000_000_000_000
  }
}
