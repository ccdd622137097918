package import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

/// The part of a store's status that only its writer knows.
///
/// Only the writer changes it. Reading it never waits for a write to the disk.
package final class StatusTracker: Sendable {
  package struct Status: Sendable {
    package var condition = PersistenceStatus.Condition.healthy
    package var lastSync: Date?
    package var lastFailure: PersistenceStatus.Failure?
    package var unpersisted = UnpersistedEntities()
    /// Whether there have ever been unpersisted entities.
    package var hasHadUnpersisted = false
    package var pinnedWAL: PersistenceStatus.PinnedWAL?
    package var heldTimes: HeldTimes?
    var firstUnfinishedCheckpoint: Date?
    package var newestSnapshot: PersistenceStatus.Snapshot?
    package var snapshotBytes: Int64 = 0
    package var journalBytes: Int64?
    package var trimmed: Revision?
  }

  private let status = Lock(Status())

  package var current: Status { status.withLock { $0 } }

  func update(_ change: (inout Status) -> Void) { status.withLock(change) }
}

extension StatusTracker.Status {
  /// Notes a failure.
  mutating func fail(_ message: String, at time: Date) {
    lastFailure = PersistenceStatus.Failure(message: message, time: time)
  }

  /// Notes a checkpoint: when two in a row could not finish because of a reader, the WAL is pinned.
  ///
  /// A single one may have met a short read.
  mutating func note(_ checkpoint: Connection.CheckpointResult, pageSize: Int64, at time: Date) {
    guard !checkpoint.isComplete else {
      (pinnedWAL, firstUnfinishedCheckpoint) = (nil, nil)
      return
    }
    let frames = max(0, checkpoint.walFrames - checkpoint.checkpointedFrames)
    if let since = firstUnfinishedCheckpoint {
      pinnedWAL = PersistenceStatus.PinnedWAL(since: since, bytes: Int64(frames) * pageSize)
    } else {
      firstUnfinishedCheckpoint = time
    }
  }

  /// Notes how much space is used.
  mutating func note(_ sizes: Maintenance.Sizes) {
    newestSnapshot = sizes.newest.map { header in
      PersistenceStatus.Snapshot(
        revision: header.revision,
        time: Date(microseconds: header.time),
        entities: header.entities,
        bytes: Int64(header.bytes)
      )
    }
    snapshotBytes = sizes.snapshots
    journalBytes = sizes.journal
    trimmed = sizes.trimmed
  }
}
