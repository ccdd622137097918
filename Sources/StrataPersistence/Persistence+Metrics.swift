#if SwiftMetrics
  import CoreMetrics
  import StrataBase
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
    ///
    /// | meter | what it shows |
    /// | --- | --- |
    /// | `strata_degraded` | 1 while the disk fails, else 0 |
    /// | `strata_queue_commits`, `strata_queue_entities`, `strata_queue_capacity` | what waits for the writer |
    /// | `strata_durable_lag` | revisions that a power cut would undo |
    /// | `strata_archive_lag` | revisions that the archive does not have |
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
      let events = events
      let metrics = PersistenceMetrics(dimensions)
      await withTaskGroup { group in
        group.addTask { for await event in events { metrics.count(event) } }
        group.addTask {
          while !Task.isCancelled {
            metrics.record(self.status)
            do { try await clock.sleep(for: interval) } catch { return }
          }
        }
        await group.next()
        group.cancelAll()
      }
      metrics.record(status)
    }
  }

  /// The metrics of one persistence.
  private struct PersistenceMetrics: Sendable {
    private struct Recorded {
      var meters: [String: Meter] = [:]
      /// The last revision in the file when the status was recorded.
      var written: Revision?
    }

    private let factory: any MetricsFactory
    private let dimensions: [(String, String)]
    private let written: Counter
    private let snapshots: Counter
    private let snapshotFailures: Counter
    private let writeFailures: Counter
    private let recorded = Lock(Recorded())

    init(_ dimensions: [(String, String)]) {
      let factory = MetricsSystem.factory
      func counter(_ label: String) -> Counter {
        Counter(label: label, dimensions: dimensions, factory: factory)
      }
      self.factory = factory
      self.dimensions = dimensions
      written = counter("strata_commits_written")
      snapshots = counter("strata_snapshots")
      snapshotFailures = counter("strata_snapshot_failures")
      writeFailures = counter("strata_write_failures")
    }

    func count(_ event: PersistenceEvent) {
      switch event {
      case .snapshot: snapshots.increment()
      case .snapshotFailed: snapshotFailures.increment()
      case .degraded: writeFailures.increment()
      default: break
      }
    }

    func record(_ status: PersistenceStatus) {
      recorded.withLock { recorded in
        if let last = recorded.written, last < status.revisions.written {
          written.increment(by: status.revisions.written.number - last.number)
        }
        recorded.written = status.revisions.written
        for (label, value) in Self.values(of: status) {
          guard let value else { continue }
          let meter =
            recorded.meters[label] ?? Meter(label: label, dimensions: dimensions, factory: factory)
          recorded.meters[label] = meter
          meter.set(value)
        }
      }
    }

    private static func values(of status: PersistenceStatus) -> [(String, Int64?)] {
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
