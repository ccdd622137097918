import Strata
import StrataFlux
import TestSupport
import Testing

/// The features of `Store` work on a flux store.
struct StoreFeatureTests {
  enum ShelfAction: FluxAction {
    case add(Book)
    case clear
  }

  final class ShelfReducer: Reducer<LibraryState, ShelfAction>, @unchecked Sendable {
    override func reduce(_ state: inout LibraryState, _ action: ShelfAction) {
      switch action {
      case .add(let book): state.db.books.insert(book)
      case .clear: state.db.books = EntityTable()
      }
    }
  }

  typealias ShelfStore = FluxStore<LibraryState, ShelfAction>

  let hub = StrataFlux.Dispatcher(name: "shelf")

  @Test func `sinks, scoped dispatchers and table dispatchers work on it`() throws {
    let store = ShelfStore(
      identifier: "shelf",
      initialState: LibraryState(),
      reducer: ShelfReducer()
    )
    try hub.register(store: store)
    let counts = Recorder<Int>()
    let subscription = store.sinkState(first: .nextCommit) {
      counts.record($0.value.db.books.count)
    }
    let table = ShelfStore.TableDispatcher<Book>(targetStore: store, table: \.db.books)
    let loggedIn = store.detached(from: \.loggedIn)

    hub.dispatch(ShelfAction.add(Book(id: 1)), mode: .sync)
    try table.insert(Book(id: 2))
    loggedIn.commit { $0.visits += 1 }

    #expect(counts.elements == [1, 2, 2])
    #expect(store.state.loggedIn.visits == 1)
    subscription.cancel()
  }

  @Test func `every commit carries the change set of its entities`() throws {
    let store = ShelfStore(
      identifier: "shelf",
      initialState: LibraryState(),
      reducer: ShelfReducer()
    )
    let hook = store.databaseHook(\.db)
    try hub.register(store: store)

    hub.dispatch(ShelfAction.add(Book(id: 1)), mode: .sync)

    #expect(store.changes.attachments[hook.key]?.isEmpty == false)
  }

  @Test func `a persisted one is restored, and journals what actions do`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("shelf.strata")
    for run in 1...2 {
      try await withPersistence(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        store: { ShelfStore($0, identifier: "shelf", reducer: ShelfReducer()) }
      ) { store in
        #expect(store.state.db.books.count == run - 1)
        let hub = StrataFlux.Dispatcher(name: "run \(run)")
        try hub.register(store: store)
        try await hub.dispatch(ShelfAction.add(Book(id: EntityID(run))), mode: .serial)
      }
    }
  }

  @Test func `a subclass names its types once and adds what it likes`() async throws {
    final class ShelfStore: FluxStore<LibraryState, ShelfAction>, @unchecked Sendable {
      init(_ source: any StoreSource<LibraryState>) {
        super.init(source, identifier: "shelf", reducer: ShelfReducer())
      }

      var titles: [String] { state.db.books.map(\.title).sorted() }
    }
    let directory = try TemporaryDirectory()
    try await withPersistence(
      at: directory.path("shelf.strata"),
      initialState: LibraryState(),
      database: \.db,
      store: ShelfStore.init
    ) { store in
      let hub = StrataFlux.Dispatcher(name: "sub")
      try hub.register(store: store)
      try await hub.dispatch(ShelfAction.add(Book(id: 1, title: "Emma")))
      #expect(store.titles == ["Emma"])
    }
  }
}
