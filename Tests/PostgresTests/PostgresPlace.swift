#if Postgres
  import Foundation
  import ProductSupport
  import StrataBase
  import StrataPostgres
  import StrataArchiving
  import TestSupport

  /// An archive in a database of its own, which each machine of a fault run reaches by a network that fails.
  final class PostgresPlace: ArchivePlace {
    private let server: PostgresServer
    private let database: String
    private let networks: [FaultProxy]
    private let hasCopy = Lock(false)

    init(_ server: PostgresServer, machines: Int = 3) throws {
      self.server = server
      database = try server.newDatabase()
      networks = try (0..<machines).map { _ in try FaultProxy(to: server.port) }
    }

    func archive(of machine: Int) throws -> any Archive {
      let port = networks[machine].port
      return try PostgresArchive(
        "host=127.0.0.1 port=\(port) user=strata dbname=\(database)",
        store: "app",
        connectTimeout: .seconds(1),
        callTimeout: .seconds(1)
      )
    }

    func direct() throws -> any Archive {
      try PostgresArchive(server.connection(database), store: "app")
    }

    func keepCopy() throws {
      try server.sql(
        """
        SET client_min_messages = warning;
        BEGIN; DROP TABLE IF EXISTS copy; CREATE TABLE copy AS TABLE strata.object; COMMIT
        """,
        in: database
      )
      hasCopy.withLock { $0 = true }
    }

    func goBack() throws {
      guard hasCopy.withLock({ $0 }) else { return }
      try server.sql(
        """
        BEGIN;
        LOCK TABLE strata.object IN ACCESS EXCLUSIVE MODE;
        DELETE FROM strata.object; INSERT INTO strata.object SELECT * FROM copy; COMMIT
        """,
        in: database
      )
    }

    func holds(_ text: String) throws -> Bool {
      let count = "SELECT count(*) FROM strata.object WHERE position('\(text)'::bytea IN body) > 0"
      return try server.sql(count, in: database)
        .trimmingCharacters(in: .whitespacesAndNewlines) != "0"
    }

    /// The server's clock is the one of all leases.
    func moveClock(of machine: Int, by seconds: TimeInterval) throws {
      try server.sql(
        "UPDATE strata.object SET put = put - interval '\(seconds) seconds'",
        in: database
      )
    }

    func setClocks() {}

    func disturb(_ machine: Int, _ number: Int) -> String? {
      let network = networks[machine]
      switch number % 6 {
      case 0:
        network.cut()
        return "connections cut"
      case 1:
        network.set(toServer: .waits, toClient: .passes)
        return "network holds what is sent"
      case 2:
        network.set(toServer: .passes, toClient: .waits)
        return "network holds answers"
      case 3:
        network.set(toServer: .passes, toClient: .isLost)
        return "network loses answers"
      case 4:
        network.set(toServer: .isLost, toClient: .passes)
        return "network loses what is sent"
      default:
        network.set(toServer: .isLost, toClient: .isLost)
        return "network half-open"
      }
    }

    func settle(_ machine: Int) {
      // What was lost in the middle of a connection cannot come back.
      networks[machine].set(toServer: .passes, toClient: .passes)
      networks[machine].cut()
    }

    deinit {
      // The server is removed with its databases.
      for network in networks { network.close() }
    }
  }
#endif
