import Strata
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// Travelling with a persisted store writes nothing until the shown states are kept.
struct TravelPersistenceTests {
  private typealias ShelfStore = StoreFeatureTests.ShelfStore
  private typealias ShelfAction = StoreFeatureTests.ShelfAction

  private struct Shelf {
    let directory: TemporaryDirectory
    let persistence: Persistence<LibraryState, LibraryDatabase>
    let store: ShelfStore
    let hub = StrataFlux.Dispatcher(name: "shelf")
    let recorder = RecorderMiddleware()

    init(_ directory: TemporaryDirectory) async throws {
      self.directory = directory
      persistence = try await Persistence.open(
        at: directory.path("shelf.strata"),
        initialState: LibraryState(),
        database: \.db
      )
      store = ShelfStore(
        persistence,
        identifier: "shelf",
        reducer: StoreFeatureTests.ShelfReducer()
      )
      try hub.register(store: store)
      hub.register(middleware: recorder)
    }

    var ids: [Int] { store.state.db.books.map(\.id.raw).sorted() }

    func add(_ ids: Int...) async throws {
      for id in ids { try await hub.dispatch(ShelfAction.add(Book(id: EntityID(id)))) }
    }

    /// The state that a new launch would restore.
    func idsAfterRestart() async throws -> [Int] {
      try await persistence.close()
      let shelf = try await Shelf(directory)
      let ids = shelf.ids
      try await shelf.persistence.close()
      return ids
    }
  }

  @Test func `travelling writes nothing, and the file is where the stores left`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2, 3)
    let revision = shelf.persistence.revision

    try shelf.recorder.jump(to: 0)
    #expect(shelf.ids == [])
    try shelf.recorder.jump(to: 2)
    try shelf.recorder.skip(1)
    #expect(shelf.ids == [2])
    try await shelf.persistence.flush()

    #expect(shelf.persistence.revision == revision)
    #expect(try await shelf.idsAfterRestart() == [1, 2, 3])
  }

  @Test func `subscribers to entities are told which ones differ in what is shown`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2)
    let key = shelf.store.databaseHook(\.db).key
    let seen = Recorder<Bool?>()
    let subscription = shelf.store.sinkState(first: .nextCommit) { changes in
      seen.record(changes.attachments[key].map(\.isEmpty))
    }

    try shelf.recorder.back()
    try shelf.recorder.forward()

    #expect(seen.elements == [false, false])
    subscription.cancel()
    try await shelf.persistence.close()
  }

  @Test func `after returning the journal goes on where it was`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2)
    let revision = shelf.persistence.revision

    try shelf.recorder.back()
    try shelf.recorder.returnToPresent()
    #expect(shelf.persistence.revision == revision)
    try await shelf.add(3)

    #expect(shelf.persistence.revision == revision.next)
    #expect(try await shelf.idsAfterRestart() == [1, 2, 3])
  }

  @Test func `branching writes what is shown, as one commit`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2, 3)
    let revision = shelf.persistence.revision
    try shelf.recorder.jump(to: 1)

    try shelf.recorder.branch()

    #expect(shelf.persistence.revision == revision.next)
    try await shelf.add(4)
    #expect(try await shelf.idsAfterRestart() == [1, 4])
  }

  @Test func `committing and rolling back write what they make the present`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2, 3)
    try shelf.recorder.skip(2)
    try shelf.recorder.commit()
    try await shelf.add(4)
    try shelf.recorder.rollback()

    #expect(shelf.ids == [1, 3])
    #expect(try await shelf.idsAfterRestart() == [1, 3])
  }

  @Test func `commits made while travelling are written only when they are kept`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2)
    let revision = shelf.persistence.revision

    try shelf.recorder.back()
    shelf.store.commit { $0.db.books.insert(Book(id: 50)) }
    #expect(shelf.ids == [1, 50])
    #expect(shelf.persistence.revision == revision)
    try shelf.recorder.branch()

    #expect(shelf.persistence.revision == revision.next)
    #expect(try await shelf.idsAfterRestart() == [1, 50])
  }

  @Test func `what is shown cannot be kept after close, and the travel goes on`() async throws {
    let shelf = try await Shelf(TemporaryDirectory())
    try await shelf.add(1, 2)
    try shelf.recorder.back()
    try await shelf.persistence.close()

    let error = #expect(throws: RecorderError.self) { try shelf.recorder.branch() }

    guard case .refused(store: "shelf", let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause is PersistenceError)
    #expect(shelf.recorder.isTravelling)
    #expect(shelf.ids == [1])
    try shelf.recorder.returnToPresent()
    #expect(shelf.ids == [1, 2])
    #expect(shelf.recorder.entries.count == 2)
  }

  @Test func `a recorder that goes while it travels leaves the store whole`() async throws {
    let directory = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: directory.path("shelf.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    let store = ShelfStore(
      persistence,
      identifier: "shelf",
      reducer: StoreFeatureTests.ShelfReducer()
    )
    do {
      let hub = StrataFlux.Dispatcher(name: "short")
      let recorder = RecorderMiddleware()
      try hub.register(store: store)
      hub.register(middleware: recorder)
      try await hub.dispatch(ShelfAction.add(Book(id: 1)))
      try recorder.back()
      #expect(store.state.db.books.isEmpty)
    }

    // The task of the dispatch may hold the recorder a moment longer.
    for await changes in store.values(buffering: .unbounded)
    where changes.value.db.books.count == 1 { break }
    let revision = persistence.revision
    store.commit { $0.db.books.insert(Book(id: 2)) }
    #expect(persistence.revision == revision.next)
    try await persistence.close()
  }
}
