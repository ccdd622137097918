import Foundation
import StrataJournal
import StrataMigrating
import StrataStorage

/// The JSON forms of what `strata migrate` prints: durations are in milliseconds.
enum MigrationJSON {
  struct Applied: Encodable {
    let number: Int
    let name: String
    let form: DataMigration.Form
    let checksum: String
    let applied: Date
    let milliseconds: Int64
    let revision: Revision
    let script: String?
    let replaces: [Int]?

    init(_ row: AppliedMigration) {
      number = row.number
      name = row.name
      form = row.form
      checksum = row.checksum
      applied = row.date
      milliseconds = MigrationText.milliseconds(row.duration)
      revision = row.revision
      script = row.script
      replaces = row.replaces.map { [$0.lowerBound, $0.upperBound] }
    }
  }

  struct Status: Encodable {
    struct Entry: Encodable {
      let number: Int
      let name: String
      let form: DataMigration.Form
      let state: MigrationStatus.State
      let reversible: Bool
      let applied: Date?
    }

    let revision: Revision
    let pending: [String]
    let migrations: [Entry]
    let problem: String?

    init(_ status: MigrationStatus) {
      revision = status.revision
      pending = status.pending
      migrations = status.entries.map { entry in
        Entry(
          number: entry.number,
          name: entry.name,
          form: entry.form,
          state: entry.state,
          reversible: entry.isReversible,
          applied: entry.applied?.date
        )
      }
      problem = status.problem.map { "\($0)" }
    }
  }

  struct Revert: Encodable {
    let to: Revision
    let before: Revision
    let after: Revision
    let backup: String?
    let pending: [String]
    let restored: [String]
    let notes: [String]

    init(
      _ report: MigrationReport,
      to revision: Revision,
      _ pending: [String],
      _ restored: [String]
    ) {
      to = revision
      before = report.before
      after = report.after
      backup = report.backup
      self.pending = pending
      self.restored = restored
      notes = report.notes
    }
  }

  struct Report: Encodable {
    struct Step: Encodable {
      let number: Int
      let name: String
      let form: DataMigration.Form
      let tables: [MigrationTableReport]
      let added: [String]
      let declared: [String]
      let findings: [Finding]
      let milliseconds: Int64
      let bytes: Int
      let revision: Revision?
    }

    struct Finding: Encodable {
      let kind: MigrationFinding.Kind
      let table: String?
      let field: String?
      let count: Int
      let detail: String
      let allowed: Bool
      let permission: String?
      let refused: Bool
    }

    let direction: MigrationReport.Direction
    let before: Revision
    let after: Revision
    let backup: String?
    let milliseconds: Int64
    let refused: Bool
    let stoppedBefore: String?
    let decoded: Bool
    let notes: [String]
    let steps: [Step]
    /// Why the migration after these would fail.
    let failure: String?

    init(_ report: MigrationReport, failure: String? = nil) {
      self.failure = failure
      direction = report.direction
      before = report.before
      after = report.after
      backup = report.backup
      milliseconds = MigrationText.milliseconds(report.duration)
      refused = !report.refusals.isEmpty
      stoppedBefore = report.stoppedBefore
      decoded = report.isDecoded
      notes = report.notes
      steps = report.steps.map { step in
        Step(
          number: step.number,
          name: step.name,
          form: step.form,
          tables: step.tables,
          added: step.added,
          declared: step.declared,
          findings: step.findings.map { finding in
            Finding(
              kind: finding.kind,
              table: finding.table,
              field: finding.field,
              count: finding.count,
              detail: finding.detail,
              allowed: finding.isAllowed,
              permission: finding.permission,
              refused: finding.isRefused
            )
          },
          milliseconds: MigrationText.milliseconds(step.duration),
          bytes: step.bytes,
          revision: step.revision
        )
      }
    }
  }
}
