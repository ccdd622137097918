#if Postgres
  import Foundation
  import ProductSupport
  import StrataBase
  import StrataPostgres
  import StrataStorage
  import TestSupport
  import Testing

  /// Through pgbouncer in transaction mode, with fewer connections to the server than clients have.
  @Suite(
    .enabled(
      if: PostgresServer.isAvailable && PgBouncer.isAvailable,
      "PostgreSQL or pgbouncer is not installed here"
    )
  )
  struct PgBouncerTests {
    @Test(arguments: ArchiveConformance.Law.allCases)
    func conforms(to law: ArchiveConformance.Law) async throws {
      let server = try PostgresServer.shared()
      let bouncer = try PgBouncer.shared()
      let store = "bounced \(UUID())"
      let conformance = ArchiveConformance(
        open: { try PostgresArchive(bouncer.connection, store: store) },
        pass: { duration in
          let shift = "interval '\(duration / .seconds(1)) seconds'"
          try server.sql("UPDATE strata.object SET put = put - \(shift) WHERE store = '\(store)'")
        }
      )
      try await conformance.check(law)
    }
  }

  /// A pgbouncer before the shared server.
  final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    static let isAvailable =
      FileManager.default.isExecutableFile(atPath: program)
      || ProcessInfo.processInfo.environment["STRATA_POSTGRES"] == "required"

    static func shared() throws -> PgBouncer { try sharedBouncer.get() }
    private static let sharedBouncer = Result { try PgBouncer(PostgresServer.shared()) }

    private let port: Int

    var connection: String { "host=127.0.0.1 port=\(port) user=strata dbname=postgres" }

    /// It ends with the server, whose directory has its pid file.
    private init(_ server: PostgresServer) throws {
      port = try PostgresServer.freePort()
      let directory = server.directory
      let users = "\(directory)/users.txt"
      try Data("\"strata\" \"\"\n".utf8).write(to: URL(fileURLWithPath: users))
      let configuration = "\(directory)/pgbouncer.ini"
      try Data(
        """
        [databases]
        * = host=127.0.0.1 port=\(server.port)
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = \(port)
        unix_socket_dir =
        auth_type = trust
        auth_file = \(users)
        pool_mode = transaction
        default_pool_size = 3
        pidfile = \(directory)/pgbouncer.pid
        logfile = \(directory)/pgbouncer.log
        """.utf8
      ).write(to: URL(fileURLWithPath: configuration))
      for path in [users, configuration] { try PostgresServer.own(path) }
      try PostgresServer.runAsUser([Self.program, "-d", "-q", configuration])
      // It listens a little later.
      for _ in 0..<100 {
        let options = "-w -X -q -h 127.0.0.1 -U strata -c SELECT postgres".split(separator: " ")
        let found = try? server.run(
          "psql",
          arguments: options.map(String.init) + ["-p", "\(port)"]
        )
        if found != nil { return }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }
#endif
