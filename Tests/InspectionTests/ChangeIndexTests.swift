import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataMaintaining
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

@testable import StrataJournal

/// The indexes of a journal let a reader pass over deltas, and say what the deltas say.
struct ChangeIndexTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let seed = randomSeed()
  private static let revisions = 3_000
  private static let books = 300

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open() async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      )
    )
  }

  /// A store whose commits mostly change one book; some change an author too, or many, or more than a block holds.
  private func write(titles length: Int = 0) async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    var random = SeededGenerator(seed: seed)
    for number in 1...Self.revisions {
      store.commit("step \(number)") { state in
        let id = Int.random(in: 0..<Self.books, using: &random)
        if Int.random(in: 0..<8, using: &random) == 0 {
          state.db.books.remove(Book.ID(id))
          // A commit that changed nothing would have no revision.
          state.db.authors.insert(Author(id: "clock", name: "\(number)"))
        } else {
          let title = "v\(number)" + String(repeating: "x", count: length)
          state.db.books.insert(Book(id: EntityID(id), title: title))
        }
        if number == 700 {
          for id in 0..<Self.books { state.db.books.insert(Book(id: EntityID(id), title: "all")) }
        }
        if number == 2_100 {
          for id in 0..<40 {
            let name = String(repeating: "x", count: 50_000)
            state.db.authors.insert(Author(id: EntityID("long-\(id)"), name: name))
          }
        }
      }
      if number == 300 || number == 1_500 { try await persistence.snapshot(named: "\(number)") }
      if number % 400 == 0 { try await persistence.flush() }
    }
    try await persistence.close()
  }

  private func view() throws -> ReadView {
    try ReadView(try Connection(path: path, mode: .readOnly))
  }

  private func id(_ number: Int) -> [UInt8] { EncodedID.bytes(of: .int(Int64(number), .bits64)) }

  /// The entities that a scan finds, as text.
  private func text(_ scan: EntityScan) throws -> [String] {
    var scan = scan
    var found: [String] = []
    while let entity = try scan.next() {
      found.append("\(EncodedID.text(of: entity.id)) \(Checksum(of: Array(entity.record)))")
    }
    return found
  }

  private func text(_ version: EntityVersions.Version, _ versions: EntityVersions) -> String {
    let revision = version.commit.map { versions.commits[$0].revision }?.number ?? 0
    guard case .put(_, let record) = version.content else {
      return "\(revision) \(version.content)"
    }
    return "\(revision) \(Checksum(of: record))"
  }

  /// The versions of some books, with and without the indexes.
  private func versions(_ view: ReadView, _ filter: EntityFilter) throws -> [[UInt8]: [String]] {
    let versions = try EntityVersions(
      of: "books",
      filter,
      from: view.state(at: view.oldest),
      through: view.last.revision,
      in: view
    )
    return versions.versions.mapValues { $0.map { text($0, versions) } }
  }

  @Test func `every version of an entity is found`() async throws {
    try await write()
    let view = try view()
    try #require(view.mayHaveIndexes)
    let all = try versions(view, .all)
    for number in 0..<Self.books {
      let found = try versions(view, .ids([id(number)]))
      #expect(found[id(number)] == all[id(number)], "seed \(seed), book \(number)")
    }
    let several = Set((0..<40).map { id($0 * 7) })
    let found = try versions(view, .ids(several))
    for id in several { #expect(found[id] == all[id], "seed \(seed)") }
  }

  @Test func `every revision has the entities that the whole journal gives it`() async throws {
    // Several chunks.
    try await write(titles: 3_000)
    let view = try view()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<10 {
      // Most are in reach of the indexes.
      let revision = Revision(Int64.random(in: 1_000...2_600, using: &random))
      let state = try view.state(at: revision)
      let ids = Set((0..<12).map { _ in id(Int.random(in: 0..<Self.books, using: &random)) })
      for filter in [.ids(ids), .all, .range(kind: 1, from: id(20), through: id(70))]
        as [EntityFilter]
      {
        let expected = try text(state.scan("books", filter))
        #expect(
          try text(view.scan("books", filter, at: revision)) == expected,
          "seed \(seed), \(filter) at \(revision)"
        )
        // An older snapshot has other chunks than the one that the parts of a scan are made for.
        #expect(
          try text(view.scan("books", filter, at: revision, skipping: 1)) == expected,
          "seed \(seed), \(filter) at \(revision)"
        )
      }
    }
  }

  @Test func `a snapshot whose list is damaged is passed over`() async throws {
    try await write(titles: 3_000)
    let expected = try text(view().scan("books", .all, at: 2_400))
    try RawSQLite.run("UPDATE listing SET count = count + 1 WHERE revision = 1500", on: path)
    #expect(try text(view().scan("books", .all, at: 2_400)) == expected, "seed \(seed)")
  }

  @Test func `indexes that cannot be read hinder nobody`() async throws {
    try await write()
    let ids = Set((0..<10).map { id($0) })
    let expected = try text(view().scan("books", .ids(ids), at: 2_000))
    let connection = try Connection(path: path, mode: .readOnly)
    let root = try #require(
      try connection.first(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'change_index'"
      ) { try $0.int(0) }
    )
    try connection.close()
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(root - 1) * 4_096)
    try file.write(contentsOf: Data(count: 4_096))
    try file.close()
    #expect(try text(view().scan("books", .ids(ids), at: 2_000)) == expected, "seed \(seed)")
    #expect(try check("index")?.passed == false)
  }

  @Test func `a closing indexes as much as one group has`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    for number in 1...10_000 {
      store.commit { $0.db.authors.insert(Author(id: "clock", name: "\(number)")) }
    }
    try await persistence.close()
    let all = (1...9).map { Int64($0 * 1_024) }
    #expect(try runs().map(\.upperBound) == all)
    try RawSQLite.run("DELETE FROM change_index", on: path)
    try await open().close()
    #expect(try runs().map(\.upperBound) == all)
  }

  @Test func `damage of old deltas hinders no commit`() async throws {
    // A file that is not checked whole when it is opened.
    try await write(titles: 2_000)
    try RawSQLite.run("DELETE FROM change_index", on: path)
    // The page of an early commit.
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(data.firstRange(of: Data("step 177".utf8))).lowerBound
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try file.seek(toOffset: UInt64(place / 4_096 * 4_096))
    try file.write(contentsOf: Data(count: 4_096))
    try file.close()
    let persistence = try await open()
    let last = persistence.revision
    LibraryStore(persistence).commit { $0.db.authors.insert(Author(id: "clock", name: "late")) }
    try await persistence.flush()
    #expect(persistence.durableRevision == last.next)
    try await persistence.close()
  }

  /// The runs that the file has indexes of.
  private func runs() throws -> [ClosedRange<Int64>] {
    let journal = Journal(connection: try Connection(path: path, mode: .readOnly))
    var runs: [ClosedRange<Int64>] = []
    var last: Revision = 0
    while let (index, chain) = try journal.index(after: last) {
      #expect(index.isSound(at: chain))
      runs.append(try index.contents(after: 0).first.number...index.last.number)
      last = index.last
    }
    return runs
  }

  private func check(_ name: String) throws -> Verification.Check? {
    try Inspector(path: path).verify().checks.first { $0.name == name }
  }

  @Test func `runs follow each other, and verifying compares them with the deltas`() async throws {
    try await write()
    #expect(try runs() == [1...1_024, 1_025...2_048])
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(verification)")
    #expect(try check("index")?.detail == "2 indexes, up to revision 2048")
  }

  @Test func `a file without indexes gets them with its next commits`() async throws {
    try await write()
    try RawSQLite.run("DELETE FROM change_index", on: path)
    #expect(try runs().isEmpty)
    #expect(try check("index") == nil)
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.authors.insert(Author(id: "clock", name: "late")) }
    try await persistence.close()
    #expect(try runs() == [1...1_024, 1_025...2_048])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `a commit of many changes ends a run and is only named`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    for number in 0..<40 {
      store.commit { state in
        for id in 0..<250 { state.db.books.insert(Book(id: EntityID(id), title: "v\(number)")) }
      }
    }
    store.commit { state in
      for id in 0..<300 { state.db.books.insert(Book(id: EntityID(id), title: "many")) }
    }
    for number in 0..<2_000 {
      store.commit { $0.db.authors.insert(Author(id: "clock", name: "\(number)")) }
    }
    try await persistence.close()
    let runs = try runs()
    // 33 × 250 changes are more than 8,192.
    #expect(runs.first == 1...33)
    #expect(runs.dropFirst().first?.lowerBound == 34)
    let journal = Journal(connection: try Connection(path: path, mode: .readOnly))
    let second = try #require(try journal.index(after: 33)?.index.contents(after: 0))
    #expect(second.large == [41])
    #expect(second.changes["books"]?.count == 7 * 250)
    #expect(try Inspector(path: path).verify().isSound)
    let found = try versions(view(), .ids([id(299)]))
    #expect(found[id(299)]?.count == 1)
  }

  @Test(arguments: [
    "UPDATE change_index SET body = CAST(substr(body, 1, 300) || x'01' || substr(body, 302) AS BLOB)",
    "UPDATE change_index SET body = x''",
    "UPDATE change_index SET revision = revision + 1",
    // That of another run.
    "UPDATE change_index SET body = (SELECT body FROM change_index AS other WHERE other.revision <> change_index.revision)",
  ])
  func `a damaged index is passed over and reported`(_ damage: String) async throws {
    try await write()
    let expected = try versions(view(), .all)
    let last = try view().last.revision
    try RawSQLite.run(damage, on: path)
    for number in stride(from: 0, to: Self.books, by: 30) {
      let found = try versions(view(), .ids([id(number)]))
      #expect(found[id(number)] == expected[id(number)], "seed \(seed)")
    }
    #expect(try check("index")?.passed == false)
    // Nothing that was committed depends on it.
    let persistence = try await open()
    #expect(persistence.revision == last)
    try await persistence.close()
  }

  @Test(arguments: ["body = x''", "revision = revision + 1", "body = CAST(x'00' || body AS BLOB)"])
  func `a damaged index is replaced, and one of no delta is removed`(_ damage: String) async throws
  {
    try await write()
    try RawSQLite.run("UPDATE change_index SET \(damage)", on: path)
    try RawSQLite.run("INSERT INTO change_index VALUES (9000000000000000000, x'00')", on: path)
    #expect(try check("index")?.passed == false)
    let connection = try Connection(path: path, mode: .readWrite)
    let journal = Journal(connection: connection)
    let indexer = try ChangeIndexer(journal, through: try ReadView(connection).last.revision)
    var last: Revision? = 0
    while let after = last { last = try indexer.check(after: after) }
    try connection.close()
    #expect(try check("index")?.passed == true)
    #expect(try runs().count == 2)
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `an index that leaves something out is reported`() async throws {
    try await write()
    let stored = try Connection(path: path, mode: .readOnly)
      .first("SELECT hash FROM delta WHERE revision = 1024", []) {
        try $0.withBlob(0) { Checksum(stored: $0) }
      }
    let hash = try #require(stored ?? nil)
    var builder = ChangeIndexBuilder(after: 0)
    [UInt8](repeating: 0, count: 1).withUnsafeBytes {
      builder.add(1_024, entities: 0, blocks: 1, hash: hash, $0)
    }
    let empty = builder.finish().body.map { String(Int($0) + 0x100, radix: 16).dropFirst() }
      .joined()
    try RawSQLite.run(
      "UPDATE change_index SET body = x'\(empty)' WHERE revision = 1024",
      on: path
    )
    #expect(try check("index")?.detail.contains("does not say what the deltas say") == true)
  }

  @Test func `what an index passes over is not read`() async throws {
    try await write()
    let expected = try versions(view(), .all)
    let quiet = try #require(
      (0..<Self.books).first { number in
        expected[id(number)]?.contains { $0.hasPrefix("501 ") || $0.hasPrefix("502 ") } == false
      }
    )
    // Its hash stays, so the chain goes on.
    try RawSQLite.run("UPDATE delta SET body = x'00' WHERE revision = 501", on: path)
    #expect(try versions(view(), .ids([id(quiet)]))[id(quiet)] == expected[id(quiet)])
    #expect(throws: CorruptionError.self) { try versions(view(), .all) }
  }

  @Test func `what is cut off or trimmed takes its indexes along`() async throws {
    try await write()
    let fork = directory.path("fork.strata")
    try await StoreBackup.fork(path, at: .revision(1_500), to: fork)
    let forked = Journal(connection: try Connection(path: fork, mode: .readOnly))
    #expect(try forked.lastIndexed() == 1_024)
    #expect(try Inspector(path: fork).verify().isSound)

    var journal = Journal(connection: try Connection(path: path, mode: .readWrite))
    _ = try journal.connection.transaction { try journal.trim(through: 1_200, slice: 10_000) }
    journal = Journal(connection: try Connection(path: path, mode: .readOnly))
    #expect(try journal.index(after: 0)?.index.last == 2_048)
    let verification = try Inspector(path: path).verify()
    #expect(verification.checks.first { $0.name == "index" }?.passed == true, "\(verification)")
  }
}
