package import StrataJournal
package import StrataSQLite

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
  public var policy = Policy.automatic
  /// Whether the store is copied first.
  public var backups = Backups.keep(3)
  /// What happens when a migration loses data and does not say that this is intended.
  public var findings = Findings.refuse
  /// Called with each migration before it starts, and with how many records it has read: return quickly.
  public var progress: (@Sendable (MigrationProgress) -> Void)?

  /// Creates the default configuration.
  public init() {}
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

  package init(migration: String, index: Int, count: Int, records: Int) {
    self.migration = migration
    self.index = index
    self.count = count
    self.records = records
  }
}

/// What a file goes through when it is opened, before its contents are read: the migrations of its data.
///
/// The storage does not know them. An opening calls these functions while it holds the writer's lock, and none but
/// ``check(_:)`` if it only reads.
package protocol FilePreparation: Sendable {
  /// Changes the file if it has to be changed for this build.
  ///
  /// Returns nil if nothing was to do: the ledger alone was read then.
  func prepare(_ path: StorePath, _ configuration: PersistenceConfiguration) throws
    -> MigrationReport?

  /// Checks that nothing has to be changed for this build.
  func check(_ connection: Connection) throws

  /// Notes in a new store what it needs no more: it was made in the newest shape.
  ///
  /// - Parameters:
  ///   - time: in microseconds.
  ///   - layout: the last layout of the store.
  func note(inNew connection: Connection, time: Int64, layout: Int64) throws

  /// Notes that this build has opened the store, if a later opening needs to know it.
  func noteOpening(in session: WriterSession) throws
}
