#if Postgres
  import Foundation
  import StrataPostgres
  import TestSupport
  import Testing

  /// Leaders, followers and a PostgreSQL server, to which faults happen at random.
  @Suite(
    .enabled(if: PostgresServer.isAvailable, PostgresServer.comment),
    .enabled(if: ArchiveFaultRun.isWanted, "STRATA_ARCHIVE_FAULTS is not set")
  )
  struct PostgresFaultRunTests {
    /// The number of faults.
    static let faults = loopCount("STRATA_ARCHIVE_FAULTS", 60)
    /// The number of faults in one life of an archive.
    static let faultsOfLife = 60

    @Test
    func `no fault loses what is replicated, or loses anything in silence`() async throws {
      let server = try PostgresServer()
      let first = UInt64.random(in: 0..<1 << 32)
      let started = ContinuousClock.now
      var total = ArchiveFaultRun.Summary()
      var seed = first
      var rest = Self.faults
      while rest > 0 {
        let run = ArchiveFaultRun(
          seed: seed,
          in: try PostgresPlace(server),
          try TemporaryDirectory()
        )
        total += try await run.run(faults: min(rest, Self.faultsOfLife))
        rest -= Self.faultsOfLife
        seed += 1
      }
      #expect(total.problems.isEmpty, "\(total.report)")
      printStatistics("PostgreSQL: \(total.text(since: started)); seeds from \(first)")
    }
  }
#endif
