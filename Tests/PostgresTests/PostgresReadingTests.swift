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

  /// Servers that can only be read, roles that lose their access, and databases that lack characters.
  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment))
  struct PostgresReadingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(
      _ connection: String
    ) async throws -> Persistence<LibraryState, LibraryDatabase> {
      try await Persistence.open(
        at: directory.path("app.strata"),
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

    @Test
    func `a hot standby is enough to follow, to pull and to verify`() async throws {
      let primary = try PostgresServer()
      let standby = try PostgresServer(standbyOf: primary, name: "standby")
      let leader = try await open(primary.connection())
      let store = LibraryStore(leader)
      store.commit { $0.db.books.insert(Book(id: 1, title: "One")) }
      try await leader.replicated(through: 1)
      try standby.reaches(primary)

      let reading = try PostgresArchive(standby.connection(), store: "app")
      let head = try #require(try await reading.head())
      #expect(head.mark.revision == 1)
      #expect(try await PostgresArchive.storeNames(in: standby.connection()) == ["app"])
      let path = try StorePath(directory.path("pulled.strata"), for: .archiving)
      let pull = ArchivePull(from: reading, to: path, on: .system)
      #expect(try await pull.run().revision == 1)
      let report = try await ArchivePull.verify(reading)
      #expect(report.isSound, "\(report)")

      let follower = try await follow(standby.connection())
      let replica = LibraryStore(follower)
      store.commit { $0.db.books.insert(Book(id: 2, title: "Two")) }
      try await follower.reach(2, within: .seconds(30))
      #expect(replica.state.db.books.count == 2)
      // It cannot be written, so nothing leads there.
      let error = await #expect(throws: ArchiveError.self) {
        try await reading.renew(ArchiveTerm(epoch: head.epoch, lease: .seconds(10)))
      }
      guard case .away? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      try await follower.close()
      try await leader.close()
    }

    @Test
    func `a role that only reads follows`() async throws {
      let server = try PostgresServer.shared()
      let database = try server.newDatabase()
      let leader = try await open(server.connection(database))
      LibraryStore(leader).commit { $0.db.books.insert(Book(id: 1, title: "One")) }
      try await leader.replicated(through: 1)
      let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql(
        """
        CREATE ROLE \(role) LOGIN; ALTER ROLE \(role) SET default_transaction_read_only = on;
        GRANT USAGE ON SCHEMA strata TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA strata TO \(role)
        """,
        in: database
      )
      let follower = try await follow(server.connection(database, user: role))
      #expect(follower.revision == 1)
      try await follower.close()
      try await leader.close()
    }

    @Test
    func `a follower that is refused says so once, and follows again when it has access`()
      async throws
    {
      let server = try PostgresServer.shared()
      let database = try server.newDatabase()
      let leader = try await open(server.connection(database))
      let store = LibraryStore(leader)
      store.commit { $0.db.books.insert(Book(id: 1, title: "One")) }
      try await leader.replicated(through: 1)
      let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
      let rights = "SELECT ON ALL TABLES IN SCHEMA strata"
      try server.sql(
        "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA strata TO \(role); GRANT \(rights) TO \(role)",
        in: database
      )
      let follower = try await follow(server.connection(database, user: role))
      let replica = LibraryStore(follower)
      let stream = follower.events
      try server.sql("ALTER ROLE \(role) NOLOGIN", in: database)
      try server.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(role)'",
        in: database
      )
      // The connection that ends is away first; the next one is refused.
      var heard: [FollowerEvent] = []
      for await event in stream {
        heard.append(event)
        if case .refused = event { break }
      }
      guard case .refused(let detail)? = heard.last, case .refused = follower.status else {
        Issue.record("\(heard) \(follower.status)")
        return
      }
      #expect(detail.contains("28000") && detail.contains("not permitted to log in"))
      #expect(!"\(follower.status)".contains("cannot become the state"))
      let calls = follower.failedCalls
      while follower.failedCalls < calls + 3 { try server.sql("SELECT pg_sleep(0.05)") }
      try server.sql("ALTER ROLE \(role) LOGIN", in: database)
      store.commit { $0.db.books.insert(Book(id: 2, title: "Two")) }
      try await follower.reach(2, within: .seconds(30))
      #expect(replica.state.db.books.count == 2)
      var after: [FollowerEvent] = []
      for await event in stream {
        after.append(event)
        if event == .applied(through: 2) { break }
      }
      #expect(!after.contains { if case .refused = $0 { true } else { false } })
      #expect(after.contains(.back))
      try await follower.close()
      try await leader.close()
    }

    @Test(arguments: ["LATIN1", "SQL_ASCII"])
    func `a database whose encoding lacks characters is not led`(encoding: String) async throws {
      let server = try PostgresServer.shared()
      let database = "encoded_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql(
        "CREATE DATABASE \(database) ENCODING '\(encoding)' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
      )
      if encoding == "SQL_ASCII" {
        let leader = try await open(server.connection(database))
        LibraryStore(leader).commit { $0.db.books.insert(Book(id: 1, title: "One")) }
        try await leader.flush()
        try await leader.snapshot(named: "Ω ≠ é")
        try await leader.replicated(through: 1)
        return try await leader.close()
      }
      let error = await #expect(throws: PersistenceError.self) {
        try await open(server.connection(database)).close()
      }
      guard case .unusable(let detail)? = error?.archive?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(detail.contains("the encoding LATIN1"))
      #expect(!FileManager.default.fileExists(atPath: directory.path("app.strata")))
      let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'strata'"
      #expect(try server.sql(schemas, in: database) == "0")
    }
  }

  extension PostgresServer {
    /// Waits until this standby has replayed what a primary has written.
    fileprivate func reaches(_ primary: PostgresServer) throws {
      let end = try primary.sql("SELECT pg_current_wal_lsn()")
      let hasArrived = "SELECT pg_last_wal_replay_lsn() >= '\(end)'::pg_lsn FROM pg_sleep(0.05)"
      while try sql(hasArrived) != "t" {}
    }
  }
#endif
