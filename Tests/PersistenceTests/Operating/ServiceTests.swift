#if ServiceLifecycle
  import Foundation
  import Logging
  import ServiceLifecycle
  import Strata
  import StrataBase
  import StrataCore
  import StrataPersistence
  import StrataJournal
  import StrataStorage
  import TestSupport
  import Testing

  /// Persistences in a group of swift-service-lifecycle.
  @Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    /// Commits when it starts and when it is shut down, as a server does that ends its requests.
    private struct Server: Service {
      let store: LibraryStore
      let started: @Sendable () -> Void

      func run() async throws {
        store.commit("start") { $0.db.books.insert(Book(id: 1)) }
        started()
        try await gracefulShutdown()
        store.commit("end") { $0.db.books.insert(Book(id: 2)) }
      }
    }

    private struct Failing: Service {
      struct Failure: Error {}

      func run() async throws { throw Failure() }
    }

    private let file: TestStore
    /// Nothing is written before the file is closed.
    private let configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .seconds(600), maxCommits: 1_000_000)
    )

    init() throws { file = try TestStore() }

    private func group(_ services: any Service...) -> ServiceGroup {
      ServiceGroup(
        services: services,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      )
    }

    private func books() async throws -> [Int] {
      let persistence = try await file.open([])
      let books = persistence.initialState.db.books.map(\.id.raw).sorted()
      try await persistence.close()
      return books
    }

    @Test func `a shutdown writes what the services after it have committed, and closes`()
      async throws
    {
      let persistence = try await file.open([], LibraryState(), configuration)
      let store = LibraryStore(persistence)
      let started = AsyncStream.makeStream(of: Void.self)
      let server = Server(store: store) { started.continuation.yield() }
      let group = group(persistence, server)
      let running = Task { try await group.run() }
      for await _ in started.stream { break }
      #expect(persistence.status.condition == .healthy)
      await group.triggerGracefulShutdown()
      try await running.value
      #expect(persistence.status.condition == .closed)
      #expect(try await books() == [1, 2])
    }

    @Test func `a service that fails ends the group, and what was committed is written`()
      async throws
    {
      let persistence = try await file.open([], LibraryState(), configuration)
      let store = LibraryStore(persistence)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      await #expect(throws: Failing.Failure.self) { try await group(persistence, Failing()).run() }
      #expect(persistence.status.condition == .closed)
      #expect(try await books() == [1])
    }

    @Test func `what cannot be written is the error of the group`() async throws {
      let vfs = try FaultVFS(name: "services-\(UUID().uuidString)")
      var configuration = configuration
      configuration.vfs = vfs.name
      let persistence = try await file.open([], LibraryState(), configuration)
      let store = LibraryStore(persistence)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      vfs.failNext(.write, in: .wal, code: .full, times: .sticky)
      vfs.failNext(.open, in: .database, code: .cantOpen, times: .sticky)
      let group = group(persistence)
      let running = Task { try await group.run() }
      await group.triggerGracefulShutdown()
      await #expect(throws: PersistenceError.self) { try await running.value }
      #expect(persistence.status.condition == .closed)
    }
  }
#endif
