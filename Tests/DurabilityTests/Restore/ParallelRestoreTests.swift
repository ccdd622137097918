import Foundation
import Strata
import StrataBase
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Restoring on several threads: the same state, the same progress and the same errors as on one.
struct ParallelRestoreTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// A book whose record is so large that few fill a chunk.
  private static func book(_ number: Int, _ text: String) -> Book {
    Book(id: EntityID(number), title: String(repeating: text, count: 8_000))
  }

  private func open(
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: .max)
    ),
    _ initial: LibraryState = LibraryState()
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: initial,
      database: \.db,
      configuration: configuration
    )
  }

  @Test
  func `chunks and later deltas restore what was committed, whatever it was`() async throws {
    for _ in 0..<5 {
      var random = SeededGenerator(seed: randomSeed())
      func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
      let file = directory.path("\(random.seed).strata")
      var initial = LibraryState()
      for index in 0..<200 { initial.db.books.insert(Self.book(index * 3, "a")) }
      for index in 0..<50 { initial.db.authors.insert(Author(id: EntityID("author \(index)"))) }
      let never = PersistenceConfiguration(snapshots: SnapshotPolicy(minimumJournalBytes: .max))
      let persistence = try await Persistence.open(
        at: file,
        initialState: initial,
        database: \.db,
        configuration: never
      )
      let store = LibraryStore(persistence)
      // Applied one after another, without any file.
      var expected = initial.db
      for _ in 0..<300 {
        let (kind, id, text) = (number(6), number(700), "\(number(10))")
        let commit: (inout LibraryDatabase) -> Void = { database in
          switch kind {
          case 0: database.books.remove(EntityID(id))
          case 1: database.authors.remove(EntityID("author \(id / 10)"))
          case 2: database.authors.insert(Author(id: EntityID("author \(id / 10)"), name: text))
          case 3: database.archivedBooks.insert(Book(id: EntityID(id), title: text))
          default: database.books.insert(Self.book(id, text))
          }
        }
        commit(&expected)
        store.commit { commit(&$0.db) }
      }
      let named = number(2) == 0
      if named { try await persistence.snapshot(named: "some") }
      try await persistence.close()
      let again = try await Persistence.open(
        at: file,
        initialState: LibraryState(),
        database: \.db,
        configuration: never
      )
      #expect(again.report.replayedDeltas == (named ? 0 : Int(again.revision.number)), "\(random)")
      #expect(LibraryStore(again).state.db == expected, "\(random)")
      #expect(again.report.entities == expected.count, "\(random)")
      try await again.close()
    }
  }

  @Test
  func `the last change of an entity counts, also for IDs that begin alike`() async throws {
    let ids = ["a", "a\\0", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaa1", "é", ""]
      .flatMap { [$0, $0 + "0123456789", $0 + "01234567890"] }
    let persistence = try await open()
    let store = LibraryStore(persistence)
    for round in 0..<3 {
      for id in ids.shuffled() {
        store.commit { $0.db.authors.insert(Author(id: EntityID(id), name: "\(round) \(id)")) }
      }
    }
    store.commit { $0.db.authors.remove("aaaaaaaaaaaaaaaa") }
    try await persistence.close()
    let again = try await open()
    var expected = Dictionary(uniqueKeysWithValues: Set(ids).map { ($0, "2 \($0)") })
    expected["aaaaaaaaaaaaaaaa"] = nil
    let authors = LibraryStore(again).state.db.authors
    #expect(Dictionary(uniqueKeysWithValues: authors.map { ($0.id.raw, $0.name) }) == expected)
    try await again.close()
  }

  @Test
  func `the first damaged chunk is the one that is reported`() async throws {
    try await writeBooks(600)
    try change { connection in
      for chunk in [7, 3, 5] {
        try connection.run(
          "UPDATE chunk SET body = zeroblob(length(body)) WHERE id = ?",
          [.integer(Int64(chunk))]
        )
      }
    }
    for _ in 0..<5 {
      let error = await #expect(throws: PersistenceError.self) { try await open() }
      guard case .damaged(let detail) = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
      #expect(detail.contains("chunk 3 of snapshot"), "\(detail)")
      #expect(!detail.contains("chunk 5 of snapshot"), "\(detail)")
    }
  }

  @Test
  func `damage is reported before a record that cannot be decoded, and that one in order`()
    async throws
  {
    try await writeBooks(600)
    let refusing = RefusedTitles(directory.path("app.strata"))
    for _ in 0..<5 {
      let error = await #expect(throws: PersistenceError.self) { try await refusing.open() }
      guard case .undecodable("books", let id, _) = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
      #expect(id == "100")
    }
    let lost = try await refusing.open(.bestEffort)
    #expect(lost.report.loss?.undecodable.map(\.id) == ["100", "300", "500"])
    #expect(lost.report.entities == 597)
    try await lost.close()
    try change { connection in
      try connection.run("UPDATE chunk SET body = zeroblob(9) WHERE id = 17")
    }
    for _ in 0..<5 {
      let error = await #expect(throws: PersistenceError.self) { try await refusing.open() }
      guard case .damaged(let detail) = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
      #expect(detail.contains("chunk 17 of snapshot"), "\(detail)")
    }
  }

  @Test
  func `the progress is the same at every opening`() async throws {
    try await writeBooks(600)
    var reports: [[PersistenceProgress]] = []
    for _ in 0..<4 {
      let progress = Lock(Steps())
      var configuration = PersistenceConfiguration()
      configuration.progress = { step in progress.withLock { $0.steps.append(step) } }
      let persistence = try await open(configuration)
      try await persistence.close()
      reports.append(progress.withLock { $0.steps.filter { $0.activity == .loading } })
    }
    #expect(reports[0].count > 10)
    #expect(zip(reports[0], reports[0].dropFirst()).allSatisfy { $0.done <= $1.done })
    #expect(reports[0].last?.done == 600)
    for report in reports { #expect(report == reports[0]) }
  }

  private struct Steps {
    var steps: [PersistenceProgress] = []
  }

  /// A snapshot of books, about thirty in a chunk.
  private func writeBooks(_ count: Int) async throws {
    var initial = LibraryState()
    for number in 0..<count { initial.db.books.insert(Self.book(number, "a")) }
    try await open(PersistenceConfiguration(), initial).close()
  }

  private func change(_ body: (Connection) throws -> Void) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    try body(connection)
  }
}

/// A build whose books cannot be read where their number is 100, 300 or 500.
private struct RefusedTitles {
  private struct Refused: Error {}

  struct Book: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "books"

    let id: EntityID<Book>

    private enum CodingKeys: CodingKey { case id }

    init(from decoder: any Decoder) throws {
      id = try decoder.container(keyedBy: CodingKeys.self).decode(EntityID<Book>.self, forKey: .id)
      if [100, 300, 500].contains(id.raw) { throw Refused() }
    }
  }

  struct Database: DatabaseType {
    var books = EntityTable<Book>()
    static let schema = DatabaseSchema<Database> { Entities(\.books) }
  }

  struct State: StateType {
    var db = Database()
  }

  private let path: String

  init(_ path: String) { self.path = path }

  func open(_ restore: RestorePolicy = .strict) async throws -> Persistence<State, Database> {
    try await Persistence.open(
      at: path,
      initialState: State(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: restore)
    )
  }
}

extension LibraryDatabase {
  fileprivate var count: Int {
    authors.count + books.count + loans.count + archivedBooks.count
  }
}
