#if SwiftMetrics
  import CoreMetrics
  import Foundation
  import StrataJournal
  import StrataStorage

  extension Persistence {
    /// Records ``status`` in swift-metrics, now and after each interval, until the persistence is closed or the
    /// task is cancelled.
    ///
    /// ```swift
    /// async let metrics: Void = persistence.recordMetrics(dimensions: [("store", "app")])
    /// ```
    ///
    /// | counter | what it counts, from here on |
    /// | --- | --- |
    /// | `strata_commits_written` | revisions that reached the file |
    /// | `strata_snapshots`, `strata_snapshot_failures` | snapshots that were verified, and that failed |
    /// | `strata_write_failures` | attempts to write that failed |
    /// | `strata_archive_failed_calls` | calls to the archive that failed |
    ///
    /// | meter | what it shows |
    /// | --- | --- |
    /// | `strata_degraded` | 1 while the disk fails, else 0 |
    /// | `strata_queue_commits`, `strata_queue_entities`, `strata_queue_capacity` | what waits for the writer |
    /// | `strata_durable_lag` | revisions that a power cut would undo |
    /// | `strata_archive_leading` | 1 while commits reach the archive, else 0 |
    /// | `strata_archive_lag`, `strata_archive_lag_seconds` | revisions that the archive does not have, and for how long |
    /// | `strata_archive_epoch`, `strata_archive_lease_seconds` | the epoch of this leader, and how long its lease runs |
    /// | `strata_archive_contact_seconds` | how long ago the archive has last answered |
    /// | `strata_archive_gaps` | runs of revisions that the archive will not have one by one |
    /// | `strata_snapshot_lag` | revisions after the newest snapshot: what the next launch replays |
    /// | `strata_database_bytes`, `strata_wal_bytes`, `strata_journal_bytes`, `strata_snapshot_bytes` | space on the disk |
    /// | `strata_pinned_wal_bytes` | what a reader keeps in SQLite's log; 0 without one |
    /// | `strata_unpersisted_entities` | entities whose last change is in memory alone |
    ///
    /// A meter appears with its first value, so there is no lag of an archive without an archive. They go to the
    /// `MetricsSystem.factory` of the caller. Recording takes microseconds and does not wait for the disk. It
    /// holds the persistence. It exists with the package trait `SwiftMetrics`, which is off by default.
    public func recordMetrics(
      every interval: Duration = .seconds(10),
      dimensions: [(String, String)] = [],
      clock: any Clock<Duration> = ContinuousClock()
    ) async {
      let metrics = PersistenceMetrics(dimensions)
      let now = writer.configuration.now
      await RecordedMetrics.record(
        every: interval,
        clock,
        until: events,
        counting: { metrics.count($0) }
      ) {
        metrics.record(self.status, at: now())
      }
    }
  }

  /// The metrics of one persistence.
  private struct PersistenceMetrics: Sendable {
    private let recorded: RecordedMetrics
    private let snapshots: Counter
    private let snapshotFailures: Counter
    private let writeFailures: Counter

    init(_ dimensions: [(String, String)]) {
      recorded = RecordedMetrics(dimensions)
      snapshots = recorded.counter("strata_snapshots")
      snapshotFailures = recorded.counter("strata_snapshot_failures")
      writeFailures = recorded.counter("strata_write_failures")
    }

    func count(_ event: PersistenceEvent) {
      switch event {
      case .snapshot: snapshots.increment()
      case .snapshotFailed: snapshotFailures.increment()
      case .degraded: writeFailures.increment()
      default: break
      }
    }

    func record(_ status: PersistenceStatus, at time: Date) {
      let measures = status.parts.measures(at: time)
      recorded.record(
        Self.values(of: status) + measures.filter { !$0.isTotal }.map { ($0.label, $0.value) },
        totals: [("strata_commits_written", status.revisions.written.number)]
          + measures.filter(\.isTotal).map { ($0.label, $0.value) }
      )
    }

    private static func values(of status: PersistenceStatus) -> [RecordedMetrics.Value] {
      let committed = status.revisions.committed.number
      let isDegraded = if case .degraded = status.condition { true } else { false }
      return [
        ("strata_degraded", isDegraded ? 1 : 0),
        ("strata_queue_commits", Int64(status.queue.commits)),
        ("strata_queue_entities", Int64(status.queue.entities)),
        ("strata_queue_capacity", Int64(status.queue.capacity)),
        ("strata_durable_lag", committed - status.revisions.durable.number),
        ("strata_archive_lag", status.revisions.replicated.map { committed - $0.number }),
        ("strata_snapshot_lag", status.newestSnapshot.map { committed - $0.revision.number }),
        ("strata_database_bytes", status.bytes.database),
        ("strata_wal_bytes", status.bytes.wal),
        ("strata_journal_bytes", status.bytes.journal),
        ("strata_snapshot_bytes", status.bytes.snapshots),
        ("strata_pinned_wal_bytes", status.pinnedWAL?.bytes ?? 0),
        ("strata_unpersisted_entities", Int64(status.notPersisted.count)),
      ]
    }
  }
#endif
