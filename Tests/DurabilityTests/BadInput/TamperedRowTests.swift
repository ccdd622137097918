import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// What the hashes cover: a row that was changed is detected, although SQLite finds nothing wrong with it.
struct TamperedRowTests {
  @Test(arguments: [
    "UPDATE delta SET time = time + 1 WHERE revision = 5",
    "UPDATE delta SET lineage = 2 WHERE revision = 5",
    "UPDATE delta SET origin = 9 WHERE revision = 5",
    "UPDATE delta SET trace = x'00' WHERE revision = 5",
    "UPDATE delta SET name = 'someone else' WHERE revision = 5",
    "UPDATE delta SET place = 'elsewhere' WHERE revision = 5",
    "UPDATE delta SET entities = 2 WHERE revision = 5",
    "UPDATE delta SET bytes = bytes + 1 WHERE revision = 5",
    "UPDATE delta SET body = (SELECT body FROM delta WHERE revision = 6) WHERE revision = 5",
    "UPDATE delta SET body = CAST(substr(body, 1, length(body) - 1) || x'41' AS BLOB)",
    "UPDATE delta SET hash = (SELECT hash FROM delta WHERE revision = 6) WHERE revision = 5",
    "UPDATE delta SET body = (SELECT body FROM delta WHERE revision = 8) WHERE revision = 9",
    "DELETE FROM delta WHERE revision = 9",
    "DELETE FROM delta WHERE revision = 1",
    "UPDATE delta_part SET body = zeroblob(length(body)) WHERE revision = 7",
    "DELETE FROM delta_part WHERE revision = 7",
    "UPDATE layout SET body = zeroblob(length(body)) WHERE id = 1",
    "UPDATE layout SET id = 77 WHERE id = 1",
    "UPDATE store SET id = zeroblob(16)",
    "UPDATE store SET algorithm = 2",
    "UPDATE snapshot SET chain = zeroblob(16)",
    "UPDATE snapshot SET time = time + 1",
    "UPDATE snapshot SET entities = entities + 1",
    "UPDATE chunk SET body = zeroblob(length(body))",
    "UPDATE chunk SET body = CAST(substr(body, 1, length(body) - 1) || x'41' AS BLOB)",
    "UPDATE chunk SET hash = zeroblob(16)",
    "UPDATE chunk SET id = id + 1000",
    "DELETE FROM chunk",
    "UPDATE listing SET entity_table = entity_table || 's'",
    "UPDATE listing SET first = x'00'",
    "UPDATE listing SET count = count + 1",
    "UPDATE listing SET bytes = bytes + 1",
    "UPDATE listing SET chunk = (SELECT max(id) FROM chunk) + 1",
    "UPDATE listing SET revision = revision + 1",
    "DELETE FROM listing",
    "UPDATE delta SET context = x'00' WHERE revision = 5",
    "DELETE FROM snapshot",
    "DELETE FROM store",
    "DELETE FROM entity_table WHERE name = 'books'",
    "UPDATE entity_table SET name = 'volumes' WHERE name = 'authors'",
  ])
  func `a row that was tampered with is refused, and verify names it`(sql: String) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await makeStore(path)
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.run(sql) > 0)
    try connection.close()

    let before = try StoreBytes(path)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    switch error?.reason {
    case .damaged, .endMissing: break
    default:
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try StoreBytes(path) == before)
    #expect(try Inspector(path: path).verify().isSound == false)
  }

  @Test
  func `a layout that has its hash and cannot be read is refused with that reason`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await makeStore(path)
    let connection = try Connection(path: path, mode: .readWrite)
    let bodies = try connection.all("SELECT body FROM layout WHERE id = 1") { try $0.blob(0) }
    var body = try #require(bodies.first)
    body[0] = 9
    try connection.run(
      "UPDATE layout SET body = ?, hash = ? WHERE id = 1",
      [.blob(body), .blob(Checksum(of: body).bytes)]
    )
    try connection.close()
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    guard case .damaged(let detail) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("layout 1 has its hash, but cannot be read"))
  }

  @Test(arguments: ["books", "authors"])
  func `a table that was hidden is not taken for a new one`(table: String) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await makeStore(path)
    let connection = try Connection(path: path, mode: .readWrite)
    // No hash covers which table a layout is for, nor the list of tables.
    #expect(try connection.run("DELETE FROM entity_table WHERE name = '\(table)'") == 1)
    #expect(try connection.run("UPDATE layout SET entity_table = 'loans'") == 2)
    try connection.close()
    #expect(try Inspector(path: path).verify().isSound == false)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    #expect(error.map { if case .damaged = $0.reason { true } else { false } } == true)

    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: .bestEffort)
    )
    let store = LibraryStore(persistence)
    #expect(store.state.db.books.count == 12)
    #expect(store.state.db.authors.count == 2)
    store.commit { $0.db.authors.insert(Author(id: "c", name: "Cleo")) }
    try await persistence.close()
    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  /// The IDs of Ada and Bea, and others in their place, with all hashes right.
  @Test(arguments: [
    (["b", "a"], "out of order"), (["a", "a"], "out of order"),
    (["a", "c"], "not the one it is stored under"),
  ])
  func `records under other IDs than their own are refused`(
    ids: [String],
    reason: String
  ) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await makeStore(path)
    let connection = try Connection(path: path, mode: .readWrite)
    let chunks = try connection.all(
      "SELECT id, body FROM chunk WHERE instr(body, CAST('Ada' AS BLOB)) > 0"
    ) { (try $0.int(0), try $0.blob(1)) }
    var (chunk, body) = try #require(chunks.first)
    let starts = try ["a", "b"].map { id in
      // The length of the ID, its kind, and its text.
      let stored: [UInt8] = [2] + (try EncodedID.bytes(of: id))
      return try #require(body.indices.first { body[$0...].starts(with: stored) })
    }
    for (start, id) in zip(starts, ids) {
      body[start + 2] = UInt8(ascii: try #require(id.unicodeScalars.first))
    }
    try connection.close()
    func hex(_ bytes: [UInt8]) -> String {
      "x'" + bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }
    try RawSQLite.runAndRecomputeHashes(
      """
      UPDATE chunk SET body = \(hex(body)) WHERE id = \(chunk);
      UPDATE listing SET first = \(hex(try EncodedID.bytes(of: ids[0]))) WHERE chunk = \(chunk);
      """,
      on: path
    )
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    #expect(error.map { "\($0)" }?.contains(reason) == true, "\(String(describing: error))")
  }

  @Test func `a store whose layouts have the last number gets others`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    try await makeStore(path)
    // No record has the layout, and no hash covers its number.
    try RawSQLite.run(
      """
      INSERT INTO layout (id, entity_table, hash, body)
        SELECT \(Int64(1) << 31), 'loans', hash, body FROM layout WHERE id = 1
      """,
      on: path
    )
    for count in 1...2 {
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      store.commit { $0.db.archivedBooks.insert(Book(id: EntityID(count))) }
      #expect(store.state.db.archivedBooks.count == count)
      try await persistence.close()
    }
    #expect(try Inspector(path: path).verify().isSound)
  }

  /// A chunk with Cleo and Eve, and one with Dan between them.
  @Test func `chunks that overlap are refused`() async throws {
    let directory = try TemporaryDirectory()
    let (path, other) = (directory.path("app.strata"), directory.path("other.strata"))
    for (path, ids) in [(path, ["c", "e"]), (other, ["d"])] {
      var initial = LibraryState()
      for id in ids { initial.db.authors.insert(Author(id: EntityID(id), name: id)) }
      try await withPersistence(
        at: path,
        initialState: initial,
        database: \.db,
        store: LibraryStore.init
      ) { _ in }
    }
    let chunk = "FROM other.listing JOIN other.chunk ON chunk.id = chunk"
    try RawSQLite.runAndRecomputeHashes(
      """
      ATTACH '\(other)' AS other;
      INSERT INTO chunk (id, hash, body) SELECT 99, hash, body \(chunk);
      INSERT INTO listing (revision, entity_table, first, count, bytes, chunk)
        SELECT revision, entity_table, first, count, bytes, 99 \(chunk);
      UPDATE snapshot SET chunks = 2, entities = 3;
      """,
      on: path
    )
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
    }
    #expect(
      error.map { "\($0)" }?.contains("reaches into the next chunk") == true,
      "\(String(describing: error))"
    )
    #expect(try Inspector(path: path).verify().isSound == false)
  }

  /// Makes a store with nine revisions after a snapshot that is not empty; the seventh has several blocks.
  private func makeStore(_ path: String) async throws {
    var initial = LibraryState()
    initial.db.authors = [Author(id: "a", name: "Ada"), Author(id: "b", name: "Bea")]
    try await withPersistence(
      at: path,
      initialState: initial,
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 30)
      ),
      store: LibraryStore.init
    ) { store in
      for number in 1...9 {
        store.commit("add") { state in
          state.db.books.insert(Book(id: EntityID(number), title: "Title \(number)"))
          guard number == 7 else { return }
          for thick in 0..<3 {
            let title = String(repeating: "\(thick)", count: 1 << 20)
            state.db.books.insert(Book(id: EntityID(100 + thick), title: title))
          }
        }
      }
    }
  }
}
