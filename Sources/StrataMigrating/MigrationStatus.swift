public import Foundation
public import StrataJournal

/// The migrations of a store: which ran, which are pending, and what does not fit.
public struct MigrationStatus: Sendable, Hashable, Codable {
  /// What is known of one migration.
  public enum State: String, Sendable, Codable {
    /// It ran, and is as it was.
    case applied
    /// It is to run.
    case pending
    /// It ran, and has changed since.
    case drifted
    /// It ran, and the list lacks it although it has later ones.
    case missing
    /// It ran, and is later than those in the list: a newer build ran it.
    case newer
  }

  /// One migration.
  public struct Entry: Sendable, Hashable, Codable {
    /// Its number.
    public var number: Int
    /// Its name in the list, or in the ledger where the list lacks it.
    public var name: String
    /// How it is written.
    public var form: DataMigration.Form
    /// What is known of it.
    public var state: State
    /// Whether it can be taken back.
    public var isReversible: Bool
    /// Its row of the ledger; nil while it is pending.
    public var applied: AppliedMigration?
  }

  /// All migrations of the list and of the ledger, by their numbers.
  public var entries: [Entry]
  /// The revision of the store.
  public var revision: Revision
  /// What keeps `up` from running; nil if nothing does.
  public var problem: DataMigrationError?

  /// The names of the migrations that are to run.
  public var pending: [String] { entries.filter { $0.state == .pending }.map(\.name) }

  private enum CodingKeys: String, CodingKey {
    case entries, revision
  }
}

/// A row of a store's ledger: a migration of the user's data that ran.
public struct AppliedMigration: Sendable, Hashable, Codable {
  /// Its number.
  public var number: Int
  /// The name it had.
  public var name: String
  /// How it was written.
  public var form: DataMigration.Form
  /// The checksum of its content, as hexadecimal digits.
  public var checksum: String
  /// When it ran.
  public var date: Date
  /// How long it took.
  public var duration: Duration
  /// The script that ran, where it was SQL.
  public var script: String?
  /// The last revision after it.
  public var revision: Revision
  /// The highest number of a layout after it.
  public var layout: Int64
  /// The numbers that it stands for, where it is squashed.
  public var replaces: ClosedRange<Int>?
}

/// How a ledger was repaired.
public struct MigrationRepair: Sendable, Hashable, Codable {
  /// The number of the migration.
  public var number: Int
  /// The name that the ledger had, and has now.
  public var names: [String]
  /// The checksums that the ledger had, and has now.
  public var checksums: [String]
  /// The script that ran, where it was SQL.
  public var script: String?
}
