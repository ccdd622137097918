public import Foundation
public import StrataJournal

/// How a store is persisted.
///
/// The defaults suit most programs.
public struct PersistenceConfiguration: Sendable {
  /// When commits reach the disk.
  public var durability: Durability
  /// What opening does with a file that cannot be restored completely.
  public var restore = RestorePolicy.strict
  /// The name of the application that the store belongs to; nil to open the store of any.
  ///
  /// It is written when the store is created, or first opened for writing with a name. A store of another
  /// application is refused as `.otherStore`.
  public var application: String?
  /// What opening does with data that breaks a unique index or a check of this build.
  public var brokenRules = BrokenRulePolicy.refuse
  /// What opening does with tables that this build does not know, where a table of this build would start empty
  /// beside them.
  public var unknownTables = UnknownTablePolicy.refuse
  /// When snapshots are taken and what is kept.
  public var snapshots: SnapshotPolicy
  /// How many of the last states stay in memory, for `state(at:)` and `revert`; 0 for none.
  ///
  /// The store keeps the present state and the changes that lead back from it, so each earlier state costs the
  /// entities that its commit replaced. A state stays for at most ten minutes, and while no more than 10,000 changes of
  /// entities lie between it and the present one.
  public var recentStates: Int {
    get { recent.count }
    set { recent.count = newValue }
  }
  /// What deltas state about their commits.
  public var commitTraces: CommitTraces
  /// What deltas state about the contexts of their commits.
  public var commitContexts = CommitContexts.all
  /// Called with the progress of long operations, on the writer's thread: return quickly.
  public var progress: (@Sendable (PersistenceProgress) -> Void)?
  /// The time of day, for deltas and snapshots.
  public var now: @Sendable () -> Date
  /// How many changed entities may wait for the writer before commits wait too.
  package var queueCapacity = 100_000
  /// How long to wait before the file is tried again after an I/O error; doubled up to 30 s.
  package var recoveryInterval = Duration.seconds(1)
  /// The limits of the states that stay in memory.
  package var recent = RecentStatePolicy()
  /// The disk that the store's files are on.
  package var disk = Disk.system
  /// The SQLite VFS of the writer, for tests in which disks fail; nil for the system's.
  package var vfs: String? {
    get { disk.vfs }
    set { disk.vfs = newValue }
  }
  /// Observes the system calls for the store's own small files, for the same tests.
  package var watch: (any DiskWatch)? {
    get { disk.watch }
    set { disk.watch = newValue }
  }
  /// The boot of the machine; tests that cut the power use another one afterwards.
  package var bootID = BootID.current()

  /// Creates a configuration.
  public init(
    durability: Durability = .grouped(),
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    commitTraces: CommitTraces = .nameAndPlace,
    restore: RestorePolicy = .strict,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.durability = durability
    self.snapshots = snapshots
    self.commitTraces = commitTraces
    self.restore = restore
    self.now = now
  }

  /// The default configuration, for files on a disk.
  package init(on disk: Disk) {
    self.init()
    self.disk = disk
  }
}

/// What opening does with a file that cannot be restored completely.
///
/// | | a record this build cannot read | damage | writes |
/// | --- | --- | --- | --- |
/// | `.strict` | throws | throws, every byte stays | yes |
/// | `.bestEffort` | is left out and kept | restores what can be verified, quarantines the file | yes |
/// | `.readOnly` | throws | throws | never |
///
/// A damaged snapshot only adds a note to the report, under any policy, as long as the file has an older
/// one and all deltas after it.
public enum RestorePolicy: Sendable, CaseIterable {
  /// Restores everything, or throws and leaves every byte as it was.
  case strict
  /// Restores what can be verified, and lists in the report what is missing.
  ///
  /// Records that the entity type of this build cannot read are left out of the state and carried in
  /// the file, byte for byte, until their ID is put or removed.
  ///
  /// A damaged file is never written to. What can be verified of it is copied into a new file, in a new
  /// lineage; then the damaged files are moved into a ``Quarantine`` together and the new file takes their
  /// name. If nothing can be verified, it throws as `.strict` does.
  case bestEffort
  /// Restores a value and writes nothing, whether or not a writer is at work.
  ///
  /// Commits that change the database are refused. To see what a writer commits after the opening, open
  /// the file again.
  case readOnly
}

/// What opening does with data that breaks a unique index or a check of this build.
public enum BrokenRulePolicy: Sendable, CaseIterable {
  /// Throws an error that names the entities, and leaves every byte as it was.
  case refuse
  /// Opens and lists the entities in the report.
  ///
  /// The keys that several entities have are not enforced until all but one of them have another key.
  /// All other keys are. A check is enforced for an entity when a commit changes it.
  case report
}

/// What opening does with a file that has records of tables which this build does not know, and lacks a table of this
/// build that would start empty: the sign of a table that was renamed without a migration.
public enum UnknownTablePolicy: Sendable, CaseIterable {
  /// Throws an error that names the migration to write; nothing is changed.
  case refuse
  /// Leaves the records in the file, and starts the new table empty.
  case keep
}

/// What a delta states about its commit.
///
/// Names and places help to read a history. A name may contain what a person typed, and a place reveals
/// how the program is built, so both can be left out. Deltas that were written before keep theirs.
public enum CommitTraces: Sendable, Equatable {
  /// The name given to `commit("name")`, and the file, line and function of the call.
  case nameAndPlace
  /// The name alone.
  case nameOnly
  /// Neither.
  case none
}

/// What deltas state about the contexts of their commits.
///
/// A context may name people and hold what they typed. Deltas that were written before keep theirs.
///
/// Where tables are redacted or sealed, the arguments of recorded calls are left out, because they may hold
/// what the file must not. A redaction of contexts sees the arguments, so it lets them through.
public struct CommitContexts: Sendable {
  /// Changes a context on its way into the file; nil for one that is not stored.
  package let redaction: (@Sendable (any Sendable) -> (any Sendable)?)?

  package init(_ redaction: (@Sendable (any Sendable) -> (any Sendable)?)?) {
    self.redaction = redaction
  }

  /// Contexts as they are.
  public static let all = CommitContexts(nil)
  /// No contexts.
  public static let none = CommitContexts { _ in nil }
}

/// How many of the last states a store keeps in memory: as long as all three limits allow it, and the present one always.
package struct RecentStatePolicy: Sendable, Equatable {
  /// The number of states.
  package var count: Int
  /// The age of the oldest, by the clock of the configuration; checked with each commit.
  package var age: Duration
  /// How many changed entities lie between the oldest state and the present one: what bounds the memory
  /// when commits are large.
  package var changes: Int

  /// Creates a policy; the defaults keep a few megabytes at most for entities of usual size.
  package init(count: Int = 64, age: Duration = .seconds(600), changes: Int = 10_000) {
    self.count = count
    self.age = age
    self.changes = changes
  }
}
