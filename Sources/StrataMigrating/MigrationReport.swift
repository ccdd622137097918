public import StrataJournal
import StrataStorage

/// How a migration is written.
public enum MigrationForm: String, Sendable, Codable {
  /// A script.
  case sql = "SQL"
  /// A closure.
  case swift = "Swift"
  /// A list of declared changes.
  case declaration
  /// One that stands for earlier ones.
  case squashed
  /// Only in a ledger: noted without running, because the data already had the new shape.
  case baseline
}

/// What a run of migrations did, or what it would do.
public struct MigrationReport: Sendable, Hashable, Codable {
  /// The direction of a run.
  public enum Direction: String, Sendable, Codable {
    /// Pending migrations ran.
    case up
    /// Migrations were taken back.
    case down
  }

  /// What one migration did.
  public struct Step: Sendable, Hashable, Codable {
    /// Its number.
    public var number: Int
    /// Its name.
    public var name: String
    /// How it is written.
    public var form: MigrationForm
    /// The tables that it changed, by name.
    public var tables: [MigrationTableReport] = []
    /// What may not be intended, the allowed findings included.
    public var findings: [MigrationFinding] = []
    /// The tables and fields that it added, also where no record has a value in them: `tags`, `people.vip`.
    public var added: [String] = []
    /// The fields of which it declared something else, with what is declared now: `posts.person NOT NULL REFERENCES people`.
    public var declared: [String] = []
    /// How long it took.
    public var duration: Duration = .zero
    /// The size of its delta; 0 where it changed nothing.
    public var bytes = 0
    /// The revision of its delta; nil where it changed nothing.
    public var revision: Revision?

    /// The name of its script: a script for the way back has a name of its own.
    fileprivate func script(_ direction: Direction) -> String {
      direction == .down && form == .sql ? "\(name).down" : name
    }

    /// The same without the duration, which differs from run to run.
    public var withoutTime: Step {
      var step = self
      step.duration = .zero
      return step
    }
  }

  /// Which way the migrations ran.
  public var direction: Direction
  /// The migrations that ran, in this order; empty if none was pending.
  public var steps: [Step] = []
  /// The revision before.
  public var before: Revision
  /// The revision after.
  public var after: Revision
  /// The migration before which the run stopped, because only the program can run it; nil if it did not.
  public var stoppedBefore: String?
  /// The file of the backup; nil if none was made.
  public var backup: String?
  /// Whether the result was decoded and its rules were checked before it took effect.
  ///
  /// An opening does both. `DataMigrator` and the `strata` command have no types, so this is false there.
  public var isDecoded = false
  /// What failed when the migrations had taken effect, as sentences without a full stop.
  ///
  /// The result does not need it: the snapshot, or removing old backups.
  public var notes: [String] = []
  /// How long all of it took, backup and snapshot included.
  public var duration: Duration = .zero

  /// The findings for which a run stops, by the name of their migration; by `0003_split.down` for a script that takes
  /// one back.
  public var refusals: [String: [MigrationFinding]] {
    var refusals: [String: [MigrationFinding]] = [:]
    for step in steps {
      let refused = step.findings.filter(\.isRefused)
      if !refused.isEmpty { refusals[step.script(direction), default: []] += refused }
    }
    return refusals
  }
}

extension MigrationReport: ReportPart {
  /// What ran, where the file is as it was before, and what failed afterwards.
  package var sentences: [String] {
    if steps.isEmpty { return [] }
    let names = steps.map(\.name).joined(separator: ", ")
    let ran = Measures.count(steps.count, "migration", "migrations")
    let place = backup.map { " The file as it was before is \($0)." } ?? ""
    return ["Ran \(ran), from revision \(before) to \(after): \(names).\(place)"]
      + notes.map(\.sentence)
  }
}

/// What a migration did with one table.
public struct MigrationTableReport: Sendable, Hashable, Codable {
  /// A field whose kind holds less than before.
  public struct Narrowing: Sendable, Hashable, Codable {
    /// The field.
    public var field: String
    /// The kind before, as `strata tables` shows it.
    public var from: String
    /// The kind after.
    public var to: String
    /// How many values.
    public var count: Int

    /// Creates a narrowing.
    public init(field: String, from: String, to: String, count: Int) {
      (self.field, self.from, self.to, self.count) = (field, from, to, count)
    }
  }

  /// References that led to a record and lead to none any more.
  public struct Dangling: Sendable, Hashable, Codable {
    /// Where the IDs are, as `strata tables` shows it: `lines[].product`.
    public var field: String
    /// The table that they lead to.
    public var target: String
    /// How many.
    public var count: Int

    /// Creates a count of dangling references.
    public init(field: String, target: String, count: Int) {
      (self.field, self.target, self.count) = (field, target, count)
    }
  }

  /// The table.
  public var table: String
  /// The name that it had before the step; nil where it is the same.
  public var renamedFrom: String?
  /// How many records were there before.
  public var before = 0
  /// How many are there after.
  public var after = 0
  /// How many records are new.
  public var inserted = 0
  /// How many have other contents.
  public var updated = 0
  /// How many are gone.
  ///
  /// One that was removed and put again under its ID is deleted and inserted.
  public var deleted = 0
  /// How many have another ID; they are not among the inserted and the deleted ones.
  public var idsChanged = 0
  /// How many values each field has lost: there was one, and the record has none any more.
  public var valuesLost: [String: Int] = [:]
  /// Fields whose kind holds less than before.
  public var narrowed: [Narrowing] = []
  /// References that lead to no entity any more.
  public var dangling: [Dangling] = []

  /// The name that the table had before the step.
  package var formerName: String { renamedFrom ?? table }

  /// What changed in the table, without its former name: `2 updated; 3 in all`.
  package var changes: String {
    var parts: [String] = []
    if renamedFrom != nil { parts.append("renamed to \(table)") }
    if inserted > 0 { parts.append("\(inserted) inserted") }
    if updated > 0 { parts.append("\(updated) updated") }
    if deleted > 0 { parts.append("\(deleted) deleted") }
    if idsChanged > 0 { parts.append("\(idsChanged) with another ID") }
    return "\(parts.isEmpty ? "unchanged" : parts.joined(separator: ", ")); \(after) in all"
  }
}

extension MigrationTableReport: CustomStringConvertible {
  /// What changed in the table: `users: 2 updated; 3 in all`, or `notes: renamed to memos; 3 in all`.
  ///
  /// ``MigrationReport/Step/findings`` has what was lost, in sentences.
  public var description: String { "\(formerName): \(changes)" }
}
