#if SwiftMetrics
  import func CoreMetrics.withMetricsFactory
  import Foundation
  import MetricsTestKit
  import ProductSupport
  import Strata
  import StrataArchive
  import StrataPersistence
  import StrataStorage
  import TestSupport
  import Testing

  /// What `recordMetrics` writes to swift-metrics of an archive and of a follower.
  @Suite(.timeLimit(.minutes(10))) struct ArchiveMetricsTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let metrics = TestMetrics()
    private let clock = TurnClock()

    init() throws {
      directory = try TemporaryDirectory()
      path = directory.path("app.strata")
    }

    /// Waits until something is so.
    private func until(_ condition: () -> Bool) async {
      while !condition() { await Task.yield() }
    }

    private func value(_ label: String) -> Int? {
      metrics.meters(label: label).first?.lastValue.map { Int($0) }
    }

    @Test func `an archive that lacks commits is shown`() async throws {
      let archive = FaultyArchive(FolderArchive(directory.path("archive")))
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        with: [.archive(archive)]
      )
      let store = LibraryStore(persistence)
      try await store.commitDurably(until: .replicated) { $0.db.books.insert(Book(id: 1)) }
      let recording = Task { [metrics, clock] in
        await withMetricsFactory(metrics) { await persistence.recordMetrics(clock: clock) }
      }
      await until { clock.sleeps == 1 }
      #expect(value("strata_archive_lag") == 0)
      #expect(value("strata_archive_lag_seconds") == 0)
      #expect(value("strata_archive_leading") == 1)
      #expect(value("strata_archive_epoch").map(Int64.init) == persistence.status.archive?.epoch)
      #expect(value("strata_archive_gaps") == 0)
      #expect(value("strata_archive_lease_seconds") != nil)
      #expect(value("strata_archive_contact_seconds") != nil)
      archive.fail { $0 == "append" ? .lost : nil }
      store.commit { $0.db.books.insert(Book(id: 2)) }
      clock.wake()
      await until { clock.sleeps == 2 }
      #expect(value("strata_archive_lag") == 1)
      await until { (persistence.status.archive?.failedCalls ?? 0) > 0 }
      clock.wake()
      await until { clock.sleeps == 3 }
      #expect(metrics.counterTotal(label: "strata_archive_failed_calls") > 0)
      #expect(value("strata_archive_leading") == 0)
      archive.work()
      try await persistence.close()
      await recording.value
    }

    @Test func `a follower is shown, and the leader that it becomes`() async throws {
      let memory = MemoryArchive()
      let archive = FaultyArchive(memory)
      let leader = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        with: [.archive(memory)]
      )
      let store = LibraryStore(leader)
      try await store.commitDurably(until: .replicated) { $0.db.books.insert(Book(id: 1)) }
      var policy = ArchivePolicy(leader: "replica")
      policy.pollInterval = .milliseconds(1)
      let follower = try await Persistence.follow(
        archive,
        at: directory.path("replica.strata"),
        initialState: LibraryState(),
        database: \LibraryState.db,
        policy: policy
      )
      let copy = LibraryStore(follower)
      await until { follower.status == .current }
      let recording = Task { [metrics, clock] in
        await withMetricsFactory(metrics) { await follower.recordMetrics(clock: clock) }
      }
      await until { clock.sleeps == 1 }
      #expect(value("strata_follower_current") == 1)
      #expect(value("strata_follower_failed") == 0)
      #expect(value("strata_follower_lag") == 0)
      #expect(value("strata_follower_lag_seconds") == 0)
      #expect(value("strata_archive_epoch").map(Int64.init) == follower.head?.epoch)
      #expect(value("strata_archive_lease_seconds") != nil)
      #expect(value("strata_follower_contact_seconds") != nil)
      archive.fail { _ in .lost }
      await until { follower.failedCalls > 1 }
      clock.wake()
      await until { clock.sleeps == 2 }
      #expect(value("strata_follower_current") == 0)
      #expect(metrics.counterTotal(label: "strata_follower_failed_calls") > 0)
      archive.work()
      try await leader.close()
      try await follower.lead()
      await until { value("strata_archive_leading") == 1 }
      #expect(copy.state.db == store.state.db)
      try await follower.close()
      await recording.value
    }
  }
#endif
