#if SwiftMetrics
  import func CoreMetrics.withMetricsFactory
  import Foundation
  import MetricsTestKit
  import Strata
  import StrataBase
  import StrataCore
  import StrataPersistence
  import StrataStorage
  import TestSupport
  import Testing

  /// What `recordMetrics` writes to swift-metrics.
  @Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    private let file: TestStore
    private let metrics = TestMetrics()
    private let clock = TurnClock()

    init() throws { file = try TestStore() }

    /// Waits until something is so.
    private func until(_ condition: () -> Bool) async {
      while !condition() { await Task.yield() }
    }

    private func value(_ label: String) -> Int? {
      metrics.meters(label: label).first?.lastValue.map { Int($0) }
    }

    @Test func `the status is recorded at once, after each interval, and when the file is closed`()
      async throws
    {
      let configuration = PersistenceConfiguration(
        durability: .grouped(maxDelay: .seconds(600), maxCommits: 1_000_000)
      )
      let persistence = try await file.open([], LibraryState(), configuration)
      let store = LibraryStore(persistence)
      async let recording: Void = withMetricsFactory(metrics) {
        await persistence.recordMetrics(dimensions: [("store", "library")], clock: clock)
      }
      await until { clock.sleeps == 1 }
      #expect(value("strata_queue_commits") == 0)
      #expect(metrics.counterTotal(label: "strata_commits_written") == 0)

      for number in 1...3 {
        store.commit { state in
          state.db.books.insert(Book(id: EntityID(number)))
          state.db.authors.insert(Author(id: EntityID("\(number)")))
        }
      }
      clock.wake()
      await until { clock.sleeps == 2 }
      #expect(value("strata_queue_commits") == 3)
      #expect(value("strata_queue_entities") == 6)
      #expect(value("strata_queue_capacity") == persistence.status.queue.capacity)
      #expect(value("strata_durable_lag") == 3)
      #expect(value("strata_snapshot_lag") == 3)
      #expect(value("strata_archive_lag") == nil)
      #expect(value("strata_degraded") == 0)

      try await persistence.snapshot(named: "now")
      let status = persistence.status
      clock.wake()
      await until { clock.sleeps == 3 }
      #expect(metrics.counterTotal(label: "strata_commits_written") == 3)
      #expect(value("strata_queue_commits") == 0)
      #expect(value("strata_durable_lag") == 0)
      #expect(value("strata_snapshot_lag") == 0)
      #expect(value("strata_database_bytes") == Int(status.bytes.database))
      #expect(value("strata_snapshot_bytes") == Int(status.bytes.snapshots))
      #expect(value("strata_pinned_wal_bytes") == 0)
      await until { metrics.counterTotal(label: "strata_snapshots") == 1 }

      store.commit { $0.db.books.insert(Book(id: 4)) }
      try await persistence.close()
      await recording
      #expect(metrics.counterTotal(label: "strata_commits_written") == 4)
      #expect(value("strata_wal_bytes") == 0)
      let dimensions = metrics.meters.map { $0.dimensions.map { "\($0.0)=\($0.1)" } }
      #expect(Set(dimensions) == [["store=library"]])
    }

    @Test func `a failing disk is shown, and the end of recording by a cancelled task`()
      async throws
    {
      let vfs = try FaultVFS(name: "metrics-\(UUID().uuidString)")
      var configuration = PersistenceConfiguration(recoveryInterval: .milliseconds(2))
      configuration.vfs = vfs.name
      let persistence = try await file.open([], LibraryState(), configuration)
      let store = LibraryStore(persistence)
      let recording = Task { [metrics, clock] in
        await withMetricsFactory(metrics) { await persistence.recordMetrics(clock: clock) }
      }
      await until { clock.sleeps == 1 }
      vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
      vfs.failNext(.open, in: .database, code: .cantOpen, times: .sticky)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      await until { metrics.counterTotal(label: "strata_write_failures") > 0 }
      clock.wake()
      await until { clock.sleeps == 2 }
      #expect(value("strata_degraded") == 1)
      #expect(value("strata_durable_lag") == 1)
      vfs.heal()
      await until { persistence.status.condition == .healthy }
      try await persistence.flush()
      recording.cancel()
      await recording.value
      #expect(value("strata_degraded") == 0)
      try await persistence.close()
    }
  }
#endif
