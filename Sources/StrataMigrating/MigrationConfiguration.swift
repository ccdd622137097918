/// How migrations run.
public struct MigrationConfiguration: Sendable {
  /// Whether the store is copied before something changes.
  public enum Backups: Sendable, Hashable {
    /// A verified copy beside the store, named after its revision: `app.strata.before-12`. The newest ones of
    /// this count stay.
    case keep(Int)
    /// No copy.
    case none
  }

  /// What an opening does with pending migrations.
  public enum Policy: Sendable, Hashable {
    /// Runs them.
    case automatic
    /// Throws `DataMigrationError.pending(_:)` and changes nothing.
    case refuseIfPending
  }

  /// What happens when a migration loses data and does not say that this is intended.
  public enum Findings: Sendable, Hashable {
    /// Nothing is changed, and the run throws `DataMigrationError.refused(_:)`.
    case refuse
    /// The run goes on, and its report lists it.
    case report
  }

  /// What an opening does with pending migrations.
  public var policy: Policy
  /// Whether the store is copied first.
  public var backups: Backups
  /// What happens when a migration loses data and does not say that this is intended.
  public var findings: Findings
  /// Called with each migration before it starts, and with how many records it has read: return quickly.
  public var progress: (@Sendable (MigrationProgress) -> Void)?

  /// Called with what each migration did, before it takes effect.
  var ran: (@Sendable (MigrationReport.Step) -> Void)?

  /// Creates a configuration; the defaults suit most programs.
  public init(
    policy: Policy = .automatic,
    backups: Backups = .keep(3),
    findings: Findings = .refuse,
    progress: (@Sendable (MigrationProgress) -> Void)? = nil
  ) {
    self.policy = policy
    self.backups = backups
    self.findings = findings
    self.progress = progress
  }
}

/// The progress of a run of migrations.
public struct MigrationProgress: Sendable, Hashable {
  /// The name of the migration.
  public let migration: String
  /// Which one of the run it is, from 1 on.
  public let index: Int
  /// How many the run has.
  public let count: Int
  /// How many records it has read.
  public let records: Int
}
