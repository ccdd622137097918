#if Postgres
  import Foundation
  import Strata
  import StrataArchive
  import StrataArchiving
  import StrataJournal
  import StrataPersistence
  import StrataPostgres
  import StrataStorage
  import TestSupport
  import Testing

  /// Servers that refuse a connection or a role.
  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment))
  struct PostgresRefusalTests {
    private let server: PostgresServer
    private let database: String
    private let directory: TemporaryDirectory

    init() throws {
      server = try PostgresServer.shared()
      database = try server.newDatabase()
      directory = try TemporaryDirectory()
    }

    private func open(
      _ connection: String,
      at name: String = "app"
    ) async throws -> Persistence<LibraryState, LibraryDatabase> {
      try await Persistence.open(
        at: directory.path("\(name).strata"),
        initialState: LibraryState(),
        database: \.db,
        with: [.archive(try PostgresArchive(connection, store: "app"))]
      )
    }

    private func follow(
      _ connection: String
    ) async throws -> Follower<LibraryState, LibraryDatabase> {
      try await Persistence.follow(
        try PostgresArchive(connection, store: "app"),
        at: directory.path("replica.strata"),
        initialState: LibraryState(),
        database: \LibraryState.db
      )
    }

    /// Makes the archive, and a file of a leader and of a follower.
    private func fill() async throws {
      let leader = try await open(server.connection(database))
      let store = LibraryStore(leader)
      store.commit { $0.db.books.insert(Book(id: 1, title: "One")) }
      try await leader.replicated(through: 1)
      try await follow(server.connection(database)).close()
      try await leader.close()
    }

    /// What an opening says that is refused; nil if it is not.
    private func refusal(_ open: () async throws -> Void) async throws -> String? {
      do {
        try await open()
        return nil
      } catch let error as PersistenceError {
        guard let error = error.archive, case .noAccess(let detail) = error.reason
        else { throw error }
        return detail
      }
    }

    private func expectRefusals(
      _ connection: String,
      _ words: String,
      location: SourceLocation = #_sourceLocation
    ) async throws {
      let details = [
        try await refusal { try await open(connection).close() },
        try await refusal { try await follow(connection).close() },
      ]
      for detail in details {
        #expect(detail?.contains(words) == true, "\(detail ?? "nil")", sourceLocation: location)
      }
    }

    private func newRole(_ options: String = "") throws -> String {
      let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql("CREATE ROLE \(role) LOGIN \(options)")
      return role
    }

    @Test
    func `openings with a wrong password, user or database are refused`() async throws {
      try await fill()
      let role = try newRole("PASSWORD 'right'")
      let rejected = try newRole()
      try server.permit([
        "host \(database) \(role) 127.0.0.1/32 scram-sha-256",
        "host \(database) \(rejected) 127.0.0.1/32 reject",
      ])
      let passwords = directory.path("passwords")
      try Data("*:*:*:\(role):wrong\n".utf8).write(to: URL(fileURLWithPath: passwords))
      #expect(chmod(passwords, 0o600) == 0)
      let connection = server.connection(database, user: role)
      try await expectRefusals(
        connection + " passfile='\(passwords)'",
        "FATAL:  password authentication failed for user \"\(role)\"; password retrieved from file"
      )
      try await expectRefusals(
        connection + " passfile='\(directory.path("none"))'",
        "no password supplied"
      )
      try await expectRefusals(
        server.connection(database, user: "somebody_else"),
        "role \"somebody_else\" does not exist (SQLSTATE 28000)"
      )
      try await expectRefusals(
        server.connection(database, user: rejected),
        "pg_hba.conf rejects connection"
      )
      try await expectRefusals(
        server.connection("no_database"),
        "database \"no_database\" does not exist (SQLSTATE 3D000)"
      )
      try await expectRefusals(
        server.connection(database) + " sslmode=require",
        "server does not support SSL"
      )
    }

    @Test
    func `openings with a certificate that they do not trust are refused`() async throws {
      let server = try PostgresServer()
      for name in ["server", "other"] {
        let subject = "-nodes -days 2 -subj /CN=\(name) -newkey rsa:2048"
        try PostgresServer.runAsUser(
          ["/usr/bin/openssl", "req", "-x509", "-keyout", "\(server.directory)/\(name).key"]
            + ["-out", "\(server.directory)/\(name).crt"]
            + subject.split(separator: " ").map(String.init)
        )
      }
      try server.sql("ALTER SYSTEM SET ssl_cert_file = '\(server.directory)/server.crt'")
      try server.sql("ALTER SYSTEM SET ssl_key_file = '\(server.directory)/server.key'")
      try server.sql("ALTER SYSTEM SET ssl = on")
      try server.stop()
      try server.start()
      func connection(_ mode: String, _ authority: String) -> String {
        server.connection() + " sslmode=\(mode) sslrootcert='\(server.directory)/\(authority)'"
      }
      try await open(connection("verify-ca", "server.crt")).close()
      try await follow(connection("verify-ca", "server.crt")).close()
      try await expectRefusals(connection("verify-ca", "other.crt"), "certificate verify failed")
      try await expectRefusals(connection("verify-ca", "none.crt"), "root certificate file")
      try await expectRefusals(
        connection("verify-full", "server.crt"),
        "does not match host name"
      )
    }

    @Test
    func `a follower needs the rights to read, and a leader those to write`() async throws {
      try await fill()
      let role = try newRole()
      let connection = server.connection(database, user: role)
      try await expectRefusals(connection, "USAGE on the schema strata, SELECT on strata.format,")
      try server.sql("GRANT USAGE ON SCHEMA strata TO \(role)", in: database)
      try server.sql("GRANT SELECT ON ALL TABLES IN SCHEMA strata TO \(role)", in: database)
      try server.sql("REVOKE SELECT ON strata.object FROM \(role)", in: database)
      try await expectRefusals(connection, "the role \(role) lacks SELECT on strata.object;")
      try server.sql("GRANT SELECT ON strata.object TO \(role)", in: database)
      try await follow(connection).close()
      let missing = try await refusal { try await open(connection).close() }
      #expect(missing?.contains("INSERT on strata.object, UPDATE on strata.object") == true)
      #expect(
        missing?.hasSuffix(
          "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA strata TO \"\(role)\""
        ) == true
      )
      try server.sql(
        "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA strata TO \(role)",
        in: database
      )
      let leader = try await open(connection)
      LibraryStore(leader).commit { $0.db.books.insert(Book(id: 2, title: "Two")) }
      try await leader.replicated(through: 2)
      try await leader.close()
    }

    @Test
    func `a first leader needs the right to make the tables, and is told so when it opens`()
      async throws
    {
      let role = try newRole()
      let connection = server.connection(database, user: role)
      let path = directory.path("app.strata")
      let missing = try await refusal { try await open(connection).close() }
      #expect(
        missing == """
          the role \(role) lacks CREATE on the database \(database), to make the tables; let an owner of the database run \
          GRANT CREATE ON DATABASE \(database) TO \(role)
          """
      )
      #expect(!FileManager.default.fileExists(atPath: path))
      // A file that was without an archive is not opened either.
      let alone = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      LibraryStore(alone).commit { $0.db.books.insert(Book(id: 1, title: "One")) }
      try await alone.close()
      #expect(try await refusal { try await open(connection).close() } == missing)
      // A follower makes no tables: there is nothing to follow.
      let empty = await #expect(throws: PersistenceError.self) {
        try await follow(connection).close()
      }
      guard let reason = empty?.archive, case .empty = reason.reason else {
        Issue.record("\(String(describing: empty))")
        return
      }
      try server.sql("CREATE SCHEMA strata", in: database)
      let usage = try await refusal { try await open(connection).close() }
      #expect(usage?.contains("lacks USAGE on the schema strata") == true, "\(usage ?? "nil")")
      try server.sql("GRANT USAGE ON SCHEMA strata TO \(role)", in: database)
      let create = try await refusal { try await open(connection).close() }
      #expect(create?.contains("lacks CREATE on the schema strata") == true, "\(create ?? "nil")")
      let grant = try #require(create?.split(separator: " run ").last)
      try server.sql(String(grant), in: database)
      let leader = try await open(connection)
      try await leader.replicated(through: 1)
      try await leader.close()
    }

    @Test
    func `a leader whose role loses its rights has no access, and goes on when it has them`()
      async throws
    {
      try await fill()
      let role = try newRole()
      let grant = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA strata"
      try server.sql("GRANT USAGE ON SCHEMA strata TO \(role)", in: database)
      try server.sql("GRANT \(grant) TO \(role)", in: database)
      let leader = try await open(server.connection(database, user: role))
      let store = LibraryStore(leader)
      try await leader.replicated(through: 1)
      var events = leader.archiveEvents.makeAsyncIterator()
      try server.sql("REVOKE \(grant) FROM \(role)", in: database)
      store.commit { $0.db.books.insert(Book(id: 2, title: "Two")) }
      while let event = await events.next() { if case .away = event { break } }
      guard case .refused(let detail, _)? = leader.status.archive?.condition else {
        Issue.record("\(String(describing: leader.status.archive))")
        return
      }
      #expect(detail.contains("42501") || detail.contains("lacks") || detail.contains("denied"))
      try server.sql("GRANT \(grant) TO \(role)", in: database)
      try await leader.replicated(through: 2)
      try await leader.close()
    }

    @Test
    func `a host that refuses beside one that is down is away`() async throws {
      try await fill()
      let port = try PostgresServer.freePort()
      let both = "host=127.0.0.1,127.0.0.1 user=strata dbname=no_database "
      for ports in ["\(port),\(server.port)", "\(server.port),\(port)"] {
        let leader = try await open(both + "port=\(ports)")
        #expect(leader.report.archive?.away?.contains("Connection refused") == true)
        try await leader.close()
      }
    }
  }
#endif
