#if Postgres
  import Foundation
  import ProductSupport
  import StrataPostgres
  import TestSupport
  import Testing

  /// Leaders, followers and a PostgreSQL server, to which faults happen at random.
  @Suite(
    .enabled(if: PostgresServer.isAvailable, PostgresServer.comment),
    .enabled(if: ArchiveFaultRun.isWanted, "STRATA_ARCHIVE_FAULTS is not set")
  )
  struct PostgresFaultRunTests {
    @Test
    func `no fault loses what is replicated, or loses anything in silence`() async throws {
      let server = try PostgresServer()
      let total = try await ArchiveFaultRun.run("PostgreSQL") { _ in try PostgresPlace(server) }
      #expect(total.problems.isEmpty, "\(total.report)")
    }
  }
#endif
