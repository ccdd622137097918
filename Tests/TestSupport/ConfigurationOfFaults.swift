package import Foundation
package import StrataJournal
package import StrataStorage

extension PersistenceConfiguration {
  /// With the pause after which a file is tried again, for tests in which disks fail.
  package init(
    durability: Durability = .grouped(),
    snapshots: SnapshotPolicy = SnapshotPolicy(),
    queueCapacity: Int = 100_000,
    recoveryInterval: Duration,
    restore: RestorePolicy = .strict,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(durability: durability, snapshots: snapshots, restore: restore, now: now)
    self.queueCapacity = queueCapacity
    self.recoveryInterval = recoveryInterval
  }
}
