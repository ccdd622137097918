import Foundation
import Strata
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Values beside the database, from the first opening to the next.
struct ValueLifeTests {
  let file: SettingsFile

  init() throws { file = try SettingsFile() }

  @Test
  func `a commit that changes only a value is a delta, and is restored`() async throws {
    try await file.run { store, persistence throws in
      store.commit { $0.session.account = .init(name: "Ada", tags: ["a"]) }
      #expect(persistence.revision == 1)
      store.commit { $0.session.clicks += 1 }
      store.commit { $0.volume = 0.5 }
      #expect(persistence.revision == 1)
      store.commit {
        $0.volume = 0.75
        $0.db.books.insert(Book(id: 1, title: "Dune"))
      }
      #expect(persistence.revision == 2)
    }
    try await file.run { store, persistence throws in
      #expect(store.state.session == .init(account: .init(name: "Ada", tags: ["a"])))
      #expect(store.state.volume == 0.75)
      #expect(store.state.db.books[1]?.title == "Dune")
      #expect(persistence.report.outcome == .restored)
      #expect(persistence.report.entities == 1)
      #expect(persistence.report.unknownTables == [])
    }
  }

  @Test
  func `the initial values of a fresh file are in its first snapshot`() async throws {
    var initial = SettingsState()
    initial.session.account = .init(name: "Ada")
    initial.volume = 0.25
    try await file.run(initial) { _, persistence throws in
      #expect(persistence.revision == 0)
      #expect(persistence.report.newValues == [])
    }
    try await file.run { store, persistence throws in
      #expect(store.state.kept == initial.kept)
      #expect(persistence.revision == 0)
    }
  }

  @Test
  func `nil is restored as nil over an initial value that is not`() async throws {
    try await file.run { store, _ throws in
      store.commit { $0.session.account = .init(name: "Ada", born: Date(timeIntervalSince1970: 1)) }
      store.commit { $0.session.account = nil }
    }
    var initial = SettingsState()
    initial.session.account = .init(name: "nobody")
    try await file.run(initial) { store, _ throws in #expect(store.state.session.account == nil) }
  }

  @Test
  func `a value that comes back from nil in the same file is restored`() async throws {
    try await file.run { _, _ throws in }
    try await file.run { store, _ throws in
      store.commit { $0.session.account = .init(name: "Ada", tags: ["x", "y"]) }
    }
    try await file.run { store, _ throws in
      #expect(store.state.session.account == .init(name: "Ada", tags: ["x", "y"]))
    }
  }

  @Test
  func `a value that is new to the file starts from the initial state, and is written`()
    async throws
  {
    try await file.run(values: []) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 1)) }
    }
    var initial = SettingsState()
    initial.volume = 0.125
    try await file.run(initial) { store, persistence throws in
      #expect(persistence.report.newValues == ["account", "recent", "volume"])
      #expect(persistence.report.newTables == [])
      #expect(store.state.volume == 0.125)
      #expect(persistence.durableRevision == 2)
    }
    let log = try Inspector(path: file.path).log(.last(1)).deltas
    #expect(log.map(\.name) == ["new values: account, recent, volume"])
    try await file.run { store, persistence throws in
      #expect(store.state.volume == 0.125)
      #expect(persistence.report.newValues == [])
      #expect(persistence.revision == 2)
    }
  }

  @Test
  func `a value that is listed no more stays in the file through snapshots`() async throws {
    try await file.run { store, _ throws in store.commit { $0.volume = 0.75 } }
    try await file.run(values: []) { store, persistence throws in
      #expect(persistence.report.unknownValues == ["account", "recent", "volume"])
      #expect(persistence.report.unknownTables == [])
      #expect(store.state.volume == 0.5)
      store.commit { $0.volume = 0.1 }
      #expect(persistence.revision == 1)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      try await persistence.snapshot(named: "folded")
    }
    try await file.run { store, persistence throws in
      #expect(store.state.volume == 0.75)
      #expect(persistence.report.snapshotRevision == 2)
    }
  }

  @Test
  func `a file without values has no trace of them`() async throws {
    try await file.run(values: []) { store, _ throws in
      store.commit { $0.volume = 0.75 }
      store.commit { $0.db.books.insert(Book(id: 1)) }
    }
    let info = try Inspector(path: file.path).info()
    #expect(info.tables == ["archived_books", "authors", "books", "loans"])
    #expect(info.values == [])
    #expect(info.layouts == 1)
  }

  @Test
  func `a program without async keeps values too`() async throws {
    func open() throws -> SettingsPersistence {
      try Persistence.openBlocking(
        at: file.path,
        initialState: SettingsState(),
        database: \.db,
        values: SettingsState.values
      )
    }
    let persistence = try open()
    SettingsStore(persistence).commit { $0.volume = 0.75 }
    try await persistence.close()
    let again = try open()
    #expect(again.initialState.volume == 0.75)
    try await again.close()
  }

  @Test
  func `withPersistence keeps values`() async throws {
    for expected in [0.5, 0.75] {
      try await withPersistence(
        at: file.path,
        initialState: SettingsState(),
        database: \.db,
        values: SettingsState.values,
        store: SettingsStore.init
      ) { (store: SettingsStore) in
        #expect(store.state.volume == expected)
        store.commit { $0.volume = 0.75 }
      }
    }
  }

  @Test
  func `after close a commit that changes a value is refused`() async throws {
    let persistence = try await file.open()
    let store = SettingsStore(persistence)
    try await persistence.close()
    let error = #expect(throws: PersistenceError.self) {
      try store.commit { state throws in state.volume = 0.75 }
    }
    #expect(error?.reason == .closed)
    #expect(store.state.volume == 0.5)
    store.commit { $0.session.clicks += 1 }
    #expect(store.state.session.clicks == 1)
  }

  @Test
  func `a durable commit of a value is on disk when it returns`() async throws {
    let persistence = try await file.open(
      SettingsState(),
      PersistenceConfiguration(durability: .onFlush)
    )
    let store = SettingsStore(persistence)
    try await store.commitDurably { $0.volume = 0.75 }
    #expect(persistence.durableRevision == 1)
    try await persistence.close()
  }

  @Test
  func `a value is written when the file is taken again after a suspension`() async throws {
    let persistence = try await file.open()
    let store = SettingsStore(persistence)
    store.commit { $0.volume = 0.25 }
    try await persistence.suspend()
    store.commit { $0.volume = 0.75 }
    try await file.run(values: []) { _, _ throws in }
    try await persistence.resume()
    try await persistence.close()
    try await file.run { store, _ throws in #expect(store.state.volume == 0.75) }
  }

  @Test
  func `a backup has the values`() async throws {
    let copy = file.directory.path("copy.strata")
    try await file.run { store, persistence throws in
      store.commit { $0.session.account = .init(name: "Ada") }
      _ = try await persistence.backup(to: copy)
    }
    let restored = try await Persistence.open(
      at: copy,
      initialState: SettingsState(),
      database: \.db,
      values: SettingsState.values
    )
    #expect(restored.initialState.session.account?.name == "Ada")
    try await restored.close()
  }

  @Test
  func `an opening for reading gives the values, and refuses to change them`() async throws {
    try await file.run { store, _ throws in store.commit { $0.volume = 0.75 } }
    let persistence = try await file.open(
      SettingsState(),
      PersistenceConfiguration(restore: .readOnly)
    )
    let store = SettingsStore(persistence)
    #expect(store.state.volume == 0.75)
    let error = #expect(throws: PersistenceError.self) {
      try store.commit { state throws in state.volume = 0.25 }
    }
    #expect(error?.reason == .readOnly)
    try await persistence.close()
  }
}

extension SettingsFile {
  func open(
    _ initialState: SettingsState,
    _ configuration: PersistenceConfiguration
  ) async throws -> SettingsPersistence {
    try await open(initialState, values: SettingsState.values, configuration)
  }
}
