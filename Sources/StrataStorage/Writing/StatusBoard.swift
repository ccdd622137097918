package import Foundation
import StrataBase
import StrataSQLite

/// What the writer notes for whoever asks how it goes.
///
/// The writer alone changes it; reading never waits for it to write.
package final class StatusBoard: Sendable {
  package struct Notes: Sendable {
    package var condition = PersistenceStatus.Condition.healthy
    package var lastSync: Date?
    package var lastFailure: PersistenceStatus.Failure?
    package var unpersisted = UnpersistedEntities()
    package var pinnedWAL: PersistenceStatus.PinnedWAL?
    var firstUnfinishedCheckpoint: Date?
    package var newestSnapshot: PersistenceStatus.Snapshot?
    package var snapshotBytes: Int64 = 0
    package var journalBytes: Int64?
  }

  private let notes = Lock(Notes())

  package var current: Notes { notes.withLock { $0 } }

  func note(_ change: (inout Notes) -> Void) { notes.withLock(change) }
}

extension StatusBoard.Notes {
  /// Goes into a condition; one that lasts keeps when it began.
  mutating func degrade(_ error: PersistenceError, at time: Date) {
    lastFailure = PersistenceStatus.Failure(message: "\(error)", time: time)
    if case .degraded(_, let since) = condition {
      condition = .degraded(error.reason, since: since)
    } else {
      condition = .degraded(error.reason, since: time)
    }
  }

  mutating func fail(_ message: String, at time: Date) {
    lastFailure = PersistenceStatus.Failure(message: message, time: time)
  }

  /// Takes note of a checkpoint: when two in a row could not pass a reader, it pins the log.
  ///
  /// One alone may have met someone who reads for a moment.
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
  }
}
