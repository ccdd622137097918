public import Foundation

/// How a store is persisted.
///
/// The defaults suit most programs.
public struct PersistenceConfiguration: Sendable {
  /// When commits reach the disk.
  public var durability: Durability
  /// What opening does with a file that cannot be restored whole.
  public var restore = RestorePolicy.strict
  /// When snapshots are taken and what is kept.
  public var snapshots: SnapshotPolicy
  /// How many changed entities may wait for the writer before committers wait too.
  public var queueCapacity: Int
  /// What deltas say of who committed them.
  public var commitTraces: CommitTraces
  /// How long to wait before trying again after the disk refused; doubled up to 30 s.
  public var recoveryInterval: Duration
  /// Told of long works on the file, on the writer's thread: be quick; nil tells nobody.
  public var progress: (@Sendable (PersistenceProgress) -> Void)?
  /// The time of day, for deltas and snapshots.
  public var now: @Sendable () -> Date
  /// The SQLite VFS of the writer, for tests that let disks fail; nil for the system's.
  package var vfs: String?
  /// Who watches the system calls for the store's own small files, for the same tests.
  package var watch: (any DiskWatch)?
  /// Which boot of the machine this is; tests that cut the power say another one afterwards.
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

  /// The disk the store is on.
  package var disk: Disk { Disk(vfs: vfs, watch: watch) }
}
