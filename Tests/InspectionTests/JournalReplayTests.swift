import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A reader that asks for a few entities of a journal without indexes misses neither a change nor damage.
struct JournalReplayTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let seed = randomSeed()
  private static let revisions = 150

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// A store with one snapshot at revision 0, whose commits have names, places and contexts of every kind.
  private func write() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      )
    )
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: seed)
    for number in Int64(1)...Int64(Self.revisions) {
      let context = number % 3 == 0 ? CommitContext(user: "Ännchen", request: "r-\(number)") : nil
      store.commit(number % 5 == 0 ? "größer" : "step \(number)", context: context) { state in
        script.commit(number, to: &state.db)
        // More than a block holds.
        if number == 77 {
          state.db.authors.insert(
            contentsOf: (0..<40).map {
              Author(id: EntityID("long-\($0)"), name: String(repeating: "x", count: 50_000))
            }
          )
        }
        // Most of the commits do not change these.
        if number % 40 == 1 { state.db.books.insert(Book(id: 9_001, title: "v\(number)")) }
        if number == 100 { state.db.books.remove(9_001) }
      }
      if number % 25 == 0 { try await persistence.flush() }
    }
    try await persistence.close()
  }

  private func view() throws -> ReadView {
    try ReadView(try Connection(path: path, mode: .readOnly))
  }

  /// A delta as text.
  private func text(_ delta: (header: DeltaHeader, blocks: [ChangeBlock])) -> String {
    let entries = delta.blocks.map { block in
      block.entries.map { "\(block.table(of: $0)) \(Array(block.id(of: $0))) \($0.change)" }
    }
    return "\(delta.header) \(entries)"
  }

  private func changes(_ keys: [EntityKey], _ delta: (header: DeltaHeader, blocks: [ChangeBlock]))
    -> Bool
  {
    delta.blocks.contains { block in
      block.entries.contains { entry in
        keys.contains(EntityKey(table: block.table(of: entry), id: block.id(of: entry)))
      }
    }
  }

  private func key(_ table: String, _ id: RecordValue) -> EntityKey {
    EntityKey(table: table, id: EncodedID.bytes(of: id)[...])
  }

  @Test func `it finds the deltas that the whole journal has of some entities`() async throws {
    try await write()
    let view = try view()
    let last = view.last.revision
    for keys in [
      [key("books", .int(9_001, .bits64))],
      [key("authors", .string("clock"))],
      [key("authors", .string("author-3")), key("books", .int(3, .bits64))],
      [key("authors", .string("long-7"))],
      [key("loans", .int(9_001, .bits64))],
      (0..<40).map { key("books", .int($0, .bits64)) },
    ] {
      var all = try view.changes(after: 0)
      var expected: [String] = []
      while let delta = try all.next() {
        if changes(keys, delta) { expected.append(text(delta)) }
      }
      var some = try view.changes(after: 0)
      var found: [String] = []
      while some.revision < last,
        let delta = try some.next(changing: .entities(keys), through: last)
      {
        if changes(keys, delta) { found.append(text(delta)) }
      }
      #expect(found == expected, "seed \(seed)")
      #expect(some.revision == all.revision)
      #expect(some.chain == all.chain)
      #expect(some.bytes == all.bytes)
    }
  }

  @Test func `it ends at the revision that is asked for`() async throws {
    try await write()
    let view = try view()
    let nothing = [key("books", .string("nothing"))]
    var some = try view.changes(after: 10)
    while some.revision < 53, try some.next(changing: .entities(nothing), through: 53) != nil {}
    #expect(some.revision == 53)
    var checks = 0
    var whole = try view.changes(after: 0)
    while try whole.next(changing: .entities(nothing), through: 150, check: { checks += 1 }) != nil
    {}
    #expect(whole.revision == 150)
    #expect(checks > 0)
  }

  @Test(arguments: [
    "UPDATE delta SET body = CAST(substr(body, 1, length(body) - 1) || 'z' AS BLOB) WHERE revision = 62",
    "UPDATE delta SET name = 'other' WHERE revision = 62",
    "UPDATE delta SET place = place || 'x' WHERE revision = 62",
    "UPDATE delta SET time = time + 1 WHERE revision = 62",
    "UPDATE delta SET hash = zeroblob(16) WHERE revision = 62",
    "UPDATE delta SET context = x'00' WHERE revision = 62",
    "DELETE FROM delta WHERE revision = 62",
    "UPDATE delta SET body = x'' WHERE revision = 62",
    "UPDATE delta SET first = -1 WHERE revision = 62",
    "UPDATE delta SET parts = 2 WHERE revision = 62",
  ])
  func `damage of a delta that changes others is reported`(_ damage: String) async throws {
    try await write()
    try RawSQLite.run(damage, on: path)
    let keys = [key("books", .int(9_001, .bits64))]
    var all = try view().changes(after: 0)
    let expected = #expect(throws: CorruptionError.self) { while try all.next() != nil {} }
    var some = try view().changes(after: 0)
    let found = #expect(throws: CorruptionError.self) {
      while try some.next(changing: .entities(keys), through: 150) != nil {}
    }
    #expect(found == expected)
    #expect(some.revision == all.revision)
    let inspector = try Inspector(path: path)
    #expect(throws: PersistenceError.self) { try inspector.history(table: "books", id: "9001") }
  }
}
