#if Postgres
  import Foundation
  import Strata
  import StrataArchive
  import StrataArchiving
  import StrataBase
  import StrataPersistence
  import StrataPostgres
  import StrataJournal
  import StrataStorage
  import TestSupport
  import Testing

  /// Followers of an archive in PostgreSQL.
  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment))
  struct PostgresFollowerTests {
    private let server: PostgresServer
    private let name = "followed \(UUID())"
    private let directory: TemporaryDirectory

    init() throws {
      server = try PostgresServer.shared()
      directory = try TemporaryDirectory()
    }

    private func lead() async throws -> Persistence<LibraryState, LibraryDatabase> {
      let configuration = PersistenceConfiguration(
        durability: .grouped(maxDelay: .milliseconds(1))
      )
      let policy = ArchivePolicy(maxDelay: .zero)
      return try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: configuration,
        with: [.archive(try PostgresArchive(server.connection(), store: name), policy: policy)]
      )
    }

    private func follow(
      _ connection: String,
      every interval: Duration
    ) async throws -> Follower<LibraryState, LibraryDatabase> {
      var policy = ArchivePolicy()
      policy.pollInterval = interval
      return try await Persistence.follow(
        try PostgresArchive(connection, store: name),
        initialState: LibraryState(),
        database: \.db,
        policy: policy
      )
    }

    private func commit(_ number: Int, to store: LibraryStore) {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }

    /// Whether the follower applies a revision, within a time that only a deadlock needs.
    private func applies(
      _ revision: Revision,
      _ events: AsyncStream<FollowerEvent>
    ) async -> Bool {
      await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          for await event in events {
            if case .applied(through: let last) = event, last >= revision { return true }
          }
          return false
        }
        group.addTask {
          do { try await Task.sleep(for: .seconds(30)) } catch _ {}
          return false
        }
        defer { group.cancelAll() }
        return await group.next() ?? false
      }
    }

    @Test
    func
      `a follower that looks once an hour has each commit at once, also after its connection ended`()
      async throws
    {
      let leader = try await lead()
      let store = LibraryStore(leader)
      commit(1, to: store)
      try await leader.replicated(through: 1)
      let application = "listener \(UUID().uuidString.prefix(8))"
      let follower = try await follow(
        server.connection() + " application_name='\(application)'",
        every: .seconds(3_600)
      )
      let copy = LibraryStore(follower)
      for number in 2...6 {
        let events = follower.events
        commit(number, to: store)
        #expect(await applies(Revision(Int64(number)), events))
      }
      try server.sql(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = '\(application)'
        """
      )
      // Both connections ended. The listener connects again and says so; a call that fails is tried again.
      for number in 7...9 {
        let events = follower.events
        commit(number, to: store)
        #expect(await applies(Revision(Int64(number)), events))
      }
      #expect(copy.state.db == store.state.db)
      try await follower.close()
      try await leader.close()
    }

    @Test(.enabled(if: PgBouncer.isAvailable))
    func `a follower through pgbouncer looks by itself`() async throws {
      let leader = try await lead()
      let store = LibraryStore(leader)
      commit(1, to: store)
      try await leader.replicated(through: 1)
      let follower = try await follow(
        try PgBouncer.shared().connection,
        every: .milliseconds(50)
      )
      let copy = LibraryStore(follower)
      for number in 2...20 {
        commit(number, to: store)
        try await leader.replicated(through: Revision(Int64(number)))
        try await follower.reach(Revision(Int64(number)), within: .seconds(30))
      }
      #expect(copy.state.db == store.state.db)
      try await follower.close()
      try await leader.close()
    }
  }
#endif
