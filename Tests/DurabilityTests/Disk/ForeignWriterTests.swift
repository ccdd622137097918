import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Another program that writes to the file without taking the lock.
struct ForeignWriterTests {
  private func open(_ path: String) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(recoveryInterval: .milliseconds(5))
    )
  }

  @Test
  func `a stranger who changed nothing of the store's is noticed, and the writer goes on`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let persistence = try await open(directory.path("app.strata"))
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    var events = persistence.events.makeAsyncIterator()

    let stranger = try Connection(path: directory.path("app.strata"), mode: .readWrite)
    try stranger.run(
      "INSERT INTO snapshot_name (name, revision, hash) VALUES ('hello', 0, zeroblob(16))"
    )
    try stranger.run("DELETE FROM snapshot_name")
    try stranger.close()
    store.commit { $0.db.books.insert(Book(id: 2)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    try await persistence.close()
    let again = try await open(directory.path("app.strata"))
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test
  func `a stranger's table keeps the writer from the file until it is gone`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let persistence = try await open(path)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    let stranger = try Connection(path: path, mode: .readWrite)
    try stranger.execute("CREATE TABLE hello (id INTEGER PRIMARY KEY)")
    store.commit { $0.db.books.insert(Book(id: 2)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    let closing = await #expect(throws: PersistenceError.self) { try await persistence.suspend() }
    #expect(closing?.description.contains("a foreign table hello") == true)
    try stranger.execute("DROP TABLE hello")
    try stranger.close()
    try await persistence.resume()
    try await persistence.close()
    let again = try await open(path)
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test
  func `a stranger's delta is never taken for one of ours`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let persistence = try await open(path)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()

    // A copy gets a delta of its own, which is inserted into the original.
    let copy = directory.path("copy.strata")
    let original = try Connection(path: path, mode: .readWrite)
    try original.vacuum(into: copy)
    try original.close()
    let other = try await open(copy)
    LibraryStore(other).commit { $0.db.books.insert(Book(id: 66)) }
    try await other.close()
    let stranger = try Connection(path: path, mode: .readWrite)
    for table in ["origin", "delta"] {
      let theirs = try Connection(path: copy, mode: .readOnly)
      let key = table == "delta" ? "revision" : "id"
      let columns = try theirs.all("SELECT * FROM \(table) WHERE \(key) = 2") { row in
        try (0..<row.count).map { try row.value($0) }
      }
      let marks = columns[0].map { _ in "?" }.joined(separator: ", ")
      try stranger.run("INSERT INTO \(table) VALUES (\(marks))", columns[0])
      try theirs.close()
    }
    try stranger.close()

    store.commit { $0.db.books.insert(Book(id: 2)) }
    await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.close() }
    guard case .damaged(let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("another program"))
  }
}
