import Strata
import StrataInspection
import StrataJournal
import StrataSQLite
import TestSupport
import Testing

/// A search for names and users, of which only the headers of commits are read.
struct LogSearchTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let seed = randomSeed()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private static let names = ["import", "Import again", "rate", "", "É\u{301}té"]

  /// Commits of a few names and users, each name once and then by chance.
  private func write(_ count: Int) async throws {
    var random = SeededGenerator(seed: seed)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    for number in 1...count {
      let name = Self.names.dropFirst(number - 1).first ?? Self.names.randomElement(using: &random)
      let user = ["ann", "bob", nil].randomElement(using: &random) ?? nil
      store.commit(name ?? "", context: user.map { CommitContext(user: $0) }) {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
    try await persistence.close()
  }

  private static let filters = [
    LogFilter(name: "import"), LogFilter(name: "IMPORT AGAIN"), LogFilter(name: "nowhere"),
    LogFilter(name: "é"), LogFilter(user: "ann"), LogFilter(name: "rate", user: "bob"),
    LogFilter(user: "nobody"), LogFilter(name: ""),
  ]

  /// The commits that a filter lists, from a log without one.
  private static func accepted(_ all: [DeltaSummary], by filter: LogFilter) -> [DeltaSummary] {
    all.filter { delta in
      let name = filter.name.map { SearchText($0).isIn(delta.commit.name) } ?? true
      let user = filter.user.map { user in
        delta.commit.contexts?.contains { $0.user == user } ?? false
      }
      return name && user ?? true
    }
  }

  @Test func `it lists what reading everything lists`() async throws {
    try await write(60)
    let inspector = try Inspector(path: path)
    let all = try inspector.log(.last(100)).deltas
    #expect(all.count == 60)
    for filter in Self.filters {
      let wanted = Self.accepted(all, by: filter)
      for (since, until) in [(0, 60), (7, 41), (59, 60), (60, 60)] as [(Int64, Int64)] {
        let inRange = wanted.filter { $0.revision > since && $0.revision <= until }
        var last = LogRequest(.last(5))
        last.filter = filter
        last.since = .point(.revision(Revision(since)))
        last.until = .point(.revision(Revision(until)))
        let page = try inspector.log(last)
        #expect(page.deltas == Array(inRange.suffix(5)), "\(filter), seed \(seed)")
        #expect(page.total == inRange.count, "\(filter), seed \(seed)")
        var after = last
        after.range = .after(Revision(since), limit: 5)
        let next = try inspector.log(after)
        #expect(next.deltas == Array(inRange.prefix(5)), "\(filter), seed \(seed)")
        if inRange.count > 5 { #expect(next.more != nil, "\(filter), seed \(seed)") }
      }
    }
  }

  @Test func `the changes of other commits are not read, those of the listed are verified`()
    async throws
  {
    try await write(20)
    let named = try Inspector(path: path).log(.last(20)).deltas.filter {
      $0.commit.name == "rate"
    }
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run(
      "UPDATE delta SET body = zeroblob(length(body)) WHERE name <> 'rate'",
      []
    )
    try connection.close()
    var request = LogRequest(.last(20))
    request.filter = LogFilter(name: "rate")
    #expect(try Inspector(path: path).log(request).deltas == named)
    request.filter = LogFilter(name: "import")
    let error = #expect(throws: PersistenceError.self) { try Inspector(path: path).log(request) }
    #expect(error?.kind == .damaged)
  }
}
