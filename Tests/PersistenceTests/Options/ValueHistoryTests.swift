import Foundation
import Strata
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// Values in history, and reverting them.
struct ValueHistoryTests {
  let file: SettingsFile

  init() throws { file = try SettingsFile() }

  @Test
  func `a value is read at any point of history`() async throws {
    try await file.run(values: [PersistedValue("volume", \.volume)]) { store, _ throws in
      store.commit { $0.volume = 0.25 }
      store.commit { $0.db.books.insert(Book(id: 1)) }
    }
    try await file.run { store, persistence throws in
      store.commit { $0.session.account = .init(name: "Ada") }
      store.commit { $0.session.account = nil }
      #expect(try await persistence.value(at: .revision(0), \.volume) == 0.5)
      #expect(try await persistence.value(at: .revision(2), \.volume) == 0.25)
      let unknown = try await persistence.value(at: .revision(2), \.session.account)
      #expect(unknown == SettingsState.Account??.none)
      let known = try await persistence.value(at: .revision(4), \.session.account)
      #expect(known == .init(name: "Ada"))
      let gone = try await persistence.value(at: .revision(5), \.session.account)
      #expect(gone == .some(nil))
      #expect(try await persistence.state(at: .revision(1)).books.isEmpty)
      let error = await #expect(throws: PersistenceError.self) {
        try await persistence.value(at: .revision(0), \.session.clicks)
      }
      guard case .notFound = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
    }
  }

  @Test
  func `deltas tell values apart from the database`() async throws {
    try await file.run { store, persistence throws in
      store.commit("both") {
        $0.volume = 0.75
        $0.db.books.insert(Book(id: 1))
      }
      store.commit("value") { $0.session.account = .init(name: "Ada") }
      store.commit("books") { $0.db.books.remove(1) }
      var deltas: [Delta] = []
      for try await delta in persistence.deltas() { deltas.append(delta) }
      try #require(deltas.map(\.values) == [["volume"], ["account"], []])
      #expect(deltas.map(\.changes.count) == [1, 0, 1])
      #expect(deltas[0].value("volume", as: Double.self) == 0.75)
      #expect(deltas[1].value("volume", as: Double.self) == nil)
      #expect(deltas[0].value("volume", as: Int.self) == nil)
      let account = deltas[1].value("account", as: SettingsState.Account?.self)
      #expect(account == .some(.init(name: "Ada")))
    }
  }

  @Test
  func `revert brings values and database back in one commit`() async throws {
    try await file.run { store, persistence throws in
      store.commit { $0.db.books.insert(Book(id: 1)) }
      store.commit {
        $0.volume = 0.25
        $0.session.account = .init(name: "Ada")
      }
      let then = store.state.kept
      store.commit {
        $0.volume = 0.75
        $0.session.account = nil
        $0.session.clicks = 9
        $0.db.books.removeAll()
      }
      let revision = try await persistence.revert(to: .revision(2))
      #expect(revision == 4)
      #expect(store.state.kept == then)
      #expect(store.state.session.clicks == 9)
      #expect(try await persistence.revert(to: .revision(2)) == 4)
    }
    try await file.run { store, _ throws in #expect(store.state.volume == 0.25) }
  }

  @Test
  func `revert leaves alone a value that the file did not have by then`() async throws {
    try await file.run(values: []) { store, _ throws in
      store.commit { $0.db.books.insert(Book(id: 1)) }
    }
    try await file.run { store, persistence throws in
      store.commit { $0.volume = 0.75 }
      try await persistence.revert(to: .revision(0))
      #expect(store.state.volume == 0.75)
      #expect(store.state.db.books.isEmpty)
    }
  }

  @Test
  func `undo is of the database, and leaves values alone`() async throws {
    try await file.run { store, _ throws in
      let undo = UndoStack(of: store, database: \.db)
      store.commit {
        $0.volume = 0.75
        $0.db.books.insert(Book(id: 1))
      }
      store.commit { $0.volume = 0.25 }
      let first = try undo.undo()
      #expect(first)
      #expect(store.state.db.books.isEmpty)
      #expect(store.state.volume == 0.25)
      let second = try undo.undo()
      #expect(!second)
    }
  }
}
