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
  /// application is refused with `.otherApplication`.
  public var application: String?
  /// What opening does with data that breaks a unique index of this build.
  public var brokenRules = BrokenRulePolicy.refuse
  /// What opening does with tables that this build does not know, where a table of this build would start empty
  /// beside them.
  public var unknownTables = UnknownTablePolicy.refuse
  /// When snapshots are taken and what is kept.
  public var snapshots: SnapshotPolicy
  /// How many changed entities may wait for the writer before commits wait too.
  public var queueCapacity: Int
  /// How many of the last states stay in memory, for `state(at:)` and `revert`.
  public var recentStates = RecentStatePolicy()
  /// What deltas state about their commits.
  public var commitTraces: CommitTraces
  /// What deltas state about the contexts of their commits.
  public var commitContexts = CommitContexts.all
  /// What happens to the store if it is open when the program ends.
  public var exit = ExitPolicy.close
  /// How long to wait before the file is tried again after an I/O error; doubled up to 30 s.
  public var recoveryInterval: Duration
  /// Called with the progress of long operations, on the writer's thread: return quickly.
  public var progress: (@Sendable (PersistenceProgress) -> Void)?
  /// The time of day, for deltas and snapshots.
  public var now: @Sendable () -> Date
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
    queueCapacity: Int = 100_000,
    commitTraces: CommitTraces = .nameAndPlace,
    recoveryInterval: Duration = .seconds(1),
    restore: RestorePolicy = .strict,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.durability = durability
    self.snapshots = snapshots
    self.queueCapacity = queueCapacity
    self.commitTraces = commitTraces
    self.recoveryInterval = recoveryInterval
    self.restore = restore
    self.now = now
  }

  /// The default configuration, for files on a disk.
  package init(on disk: Disk) {
    self.init()
    self.disk = disk
  }
}

/// What happens to a store that is open when the program ends by `exit` or by returning from `main`.
///
/// A signal, a crash and `_exit` end a program without notice: see the page of what survives.
public enum ExitPolicy: Sendable {
  /// The file is closed. The end of the program waits for it, for at most a second for all stores together; what is
  /// pending then is reported on standard error, and with an assertion in a debug build.
  case close
  /// Nothing: what the writer has not written is lost. For a program that must end at once.
  case abandon
}
