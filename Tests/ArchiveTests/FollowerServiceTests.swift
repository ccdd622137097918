#if ServiceLifecycle
  import Logging
  import ServiceLifecycle
  import Strata
  import StrataArchive
  import StrataPersistence
  import StrataStorage
  import TestSupport
  import Testing

  /// A follower in a group of swift-service-lifecycle.
  @Suite(.timeLimit(.minutes(10))) struct FollowerServiceTests {
    private let file: TestStore

    init() throws { file = try TestStore() }

    @Test func `a follower stops with its group`() async throws {
      let leader = try await file.open([])
      let store = LibraryStore(leader)
      let follower = try await Persistence.follow(
        at: file.path,
        initialState: LibraryState(),
        database: \.db
      )
      let replica = LibraryStore(follower)
      let group = ServiceGroup(services: [follower], logger: Logger(label: "test"))
      let running = Task { try await group.run() }
      store.commit { $0.db.books.insert(Book(id: 1)) }
      try await leader.flush()
      try await follower.reach(leader.revision)
      #expect(replica.state.db.books.count == 1)
      await group.triggerGracefulShutdown()
      try await running.value
      #expect(follower.status == .closed)
      try await leader.close()
    }
  }
#endif
