import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// `.readOnly` restores a value and changes no file.
struct ReadOnlyTests {
  @Test
  func `a store at rest is restored, and nothing in its directory changes`() async throws {
    let damaged = try await DamagedStore()
    for name in ["app.strata.lock", "app.strata-shm"] {
      try? FileManager.default.removeItem(atPath: damaged.directory.path(name))
    }
    let before = try contentsOfFiles(in: damaged.directory.url.path)
    let persistence = try await damaged.open(.readOnly)
    #expect(persistence.initialState.db == damaged.model(at: 50))
    #expect(persistence.report.outcome == .restored)
    #expect(persistence.revision == 50)
    let store = LibraryStore(persistence)
    let error = #expect(throws: PersistenceError.self) {
      try store.commit { state throws in state.db.books.insert(Book(id: 999)) }
    }
    #expect(error?.reason == .readOnly)
    store.commit { $0.count += 1 }
    #expect(store.state.count == 1)
    #expect(store.state.db == damaged.model(at: 50))
    try await persistence.flush()
    let refused = await #expect(throws: PersistenceError.self) {
      try await persistence.snapshot(named: "never")
    }
    #expect(refused?.reason == .readOnly)
    try await persistence.close()
    #expect(try contentsOfFiles(in: damaged.directory.url.path) == before)
  }

  @Test
  func `what is only in SQLite's WAL is restored too`() async throws {
    let damaged = try await DamagedStore()
    let child = try ChildProcess("CrashChild", [damaged.path, "6", "grouped"])
    _ = child.lines(atLeast: 3)
    child.kill()
    try? FileManager.default.removeItem(atPath: damaged.path + "-shm")
    let before = try contentsOfFiles(in: damaged.directory.url.path)
    #expect(before["app.strata-wal"]?.isEmpty == false)
    let persistence = try await damaged.open(.readOnly)
    #expect(persistence.revision > 50)
    #expect(persistence.initialState.db == damaged.model(at: persistence.revision))
    try await persistence.close()
    #expect(try contentsOfFiles(in: damaged.directory.url.path) == before)
  }

  @Test
  func `a store that a writer has open is restored as far as it is written`() async throws {
    let damaged = try await DamagedStore()
    let writer = try await damaged.open(.strict)
    let store = LibraryStore(writer)
    store.commit { damaged.script.commit(51, to: &$0.db) }
    try await writer.flush()
    let reader = try await damaged.open(.readOnly)
    #expect(reader.revision == 51)
    #expect(reader.initialState.db == damaged.model(at: 51))
    // Neither blocks the other.
    store.commit { damaged.script.commit(52, to: &$0.db) }
    try await writer.flush()
    #expect(reader.revision == 51)
    try await reader.close()
    try await writer.close()
  }

  @Test
  func `a damaged store is refused and a missing one is not created`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision = 45")
    let before = try contentsOfFiles(in: damaged.directory.url.path)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await damaged.open(.readOnly)
    }
    guard case .damaged = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try contentsOfFiles(in: damaged.directory.url.path) == before)

    let empty = try TemporaryDirectory()
    let missing = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(
        at: empty.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: .readOnly)
      )
    }
    #expect(missing?.reason == .missing)
    #expect(try contentsOfFiles(in: empty.url.path).isEmpty)
  }

  @Test
  func `a store whose files are half moved is left to a writer`() async throws {
    let damaged = try await DamagedStore()
    let path = try StorePath(damaged.path, for: .opening)
    var moving = try QuarantineMove(of: path, reason: "a test", now: Date())
    for _ in 0..<2 { _ = try moving.step() }
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await damaged.open(.readOnly)
    }
    guard case .busy = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
  }

  @Test
  func `a suspension changes nothing where no file is held`() async throws {
    let damaged = try await DamagedStore()
    let reader = try await damaged.open(.readOnly)
    try await reader.suspend()
    #expect(try await reader.state(at: .revision(50)) == damaged.model(at: 50))
    try await reader.resume()
    #expect(try await reader.state(at: .revision(50)) == damaged.model(at: 50))
    try await reader.close()
  }
}
