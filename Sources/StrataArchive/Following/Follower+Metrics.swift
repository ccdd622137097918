#if SwiftMetrics
  import Foundation
  import StrataArchiving
  import StrataJournal
  import StrataPersistence
  import StrataStorage

  extension Follower {
    /// Records how it is in swift-metrics, now and after each interval, until it is closed or the task is cancelled.
    ///
    /// ```swift
    /// async let metrics: Void = follower.recordMetrics(dimensions: [("store", "app")])
    /// ```
    ///
    /// | counter | what it counts, from here on |
    /// | --- | --- |
    /// | `strata_follower_failed_calls` | how often what it follows could not be reached |
    /// | `strata_follower_rewinds` | how often the history was taken back |
    ///
    /// | meter | what it shows |
    /// | --- | --- |
    /// | `strata_follower_current` | 1 while it has everything that there is, else 0 |
    /// | `strata_follower_failed` | 1 while it cannot take what it reads, or waits for a migration, else 0 |
    /// | `strata_follower_lag` | revisions that the archive had when it last answered, and the store does not have |
    /// | `strata_follower_lag_seconds` | for how long it may lack commits |
    /// | `strata_follower_contact_seconds` | how long ago what it follows has last answered |
    /// | `strata_archive_epoch`, `strata_archive_lease_seconds` | the leader's epoch, and how long its lease runs |
    ///
    /// Once it leads, it records the metrics of its persistence instead. Recording takes microseconds. It holds the follower.
    /// It exists with the package trait `SwiftMetrics`, which is off by default.
    public func recordMetrics(
      every interval: Duration = .seconds(10),
      dimensions: [(String, String)] = [],
      clock: any Clock<Duration> = ContinuousClock()
    ) async {
      let metrics = RecordedMetrics(dimensions)
      await RecordedMetrics.record(every: interval, clock, until: events) {
        self.record(in: metrics)
      }
      guard status == .leading, let persistence = leadingPersistence else { return }
      await persistence.recordMetrics(every: interval, dimensions: dimensions, clock: clock)
    }

    private func record(in metrics: RecordedMetrics) {
      let (status, head, time) = (status, head, now())
      let hasFailed =
        switch status {
        case .refused, .failed, .waitingForMigration: true
        case .current, .behind, .away, .leading, .closed: false
        }
      let lease = head.flatMap { head in
        lastContact.map { $0.addingTimeInterval(head.lease / .seconds(1)) }
      }
      metrics.record(
        [
          ("strata_follower_current", status == .current ? 1 : 0),
          ("strata_follower_failed", hasFailed ? 1 : 0),
          ("strata_follower_lag", head.map { max(0, $0.mark.revision.number - revision.number) }),
          (
            "strata_follower_lag_seconds",
            Measure.seconds(since: behindSince ?? time, time)
          ),
          (
            "strata_follower_contact_seconds",
            lastContact.map { Measure.seconds(since: $0, time) }
          ),
          ("strata_archive_epoch", head?.epoch),
          ("strata_archive_lease_seconds", lease.map { Measure.seconds(since: time, $0) }),
        ],
        totals: [
          ("strata_follower_failed_calls", Int64(failedCalls)),
          ("strata_follower_rewinds", Int64(rewinds)),
        ]
      )
    }
  }
#endif
