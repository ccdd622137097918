import Foundation
import Strata
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// A store of the sample domain with very many books and revisions, for the tests of the inspector's page.
///
/// Its clock moves by seconds from commit to commit, with a rest each night, so that its history spans months.
struct LargeLibrary {
  let path: String
  let books: Int
  let revisions: Int
  let seed: UInt64

  /// What commits of a library are called, and where they come from.
  private static let commits: [(String, StaticString, StaticString, UInt)] = [
    ("rate", "Library/Ratings.swift", "rate(_:)", 41),
    ("rename", "Library/Editor.swift", "save()", 88),
    ("lend", "Library/Desk.swift", "lend(_:to:)", 17),
    ("return", "Library/Desk.swift", "takeBack(_:)", 33),
    ("import", "Library/Import.swift", "run()", 5),
  ]

  private func open(_ now: @escaping @Sendable () -> Date) async throws
    -> Persistence<LibraryState, LibraryDatabase>
  {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        durability: .grouped(maxDelay: .milliseconds(20)),
        snapshots: SnapshotPolicy(keepsAllHistory: true),
        now: now
      )
    )
  }

  /// Makes the store; the books are imported 1,000 in a commit.
  func make() async throws {
    let clock = Clock(start: 1_767_225_600)
    let persistence = try await open { clock.now }
    let store = LibraryStore(persistence)
    store.commit("found") { state in
      state.db.authors.insert(
        contentsOf: (0..<100).map { Author(id: EntityID("author-\($0)"), name: "Author \($0)") }
      )
    }
    var random = SeededGenerator(seed: seed)
    for start in stride(from: 0, to: books, by: 1_000) {
      clock.move()
      let (name, file, function, line) = Self.commits[4]
      store.commit(name, fileID: file, function: function, line: line) { state in
        state.db.books.insert(
          contentsOf: (start..<min(books, start + 1_000)).lazy.map { bulkBook($0) }
        )
      }
    }
    try await persistence.snapshot(named: "imported")
    while persistence.revision.number < revisions {
      clock.move()
      commit(to: store, &random)
    }
    try await persistence.snapshot(named: "end")
    try await persistence.close()
  }

  /// Makes a small store of hostile names, IDs and values, one of them with 10 MB.
  static func makeHostile(_ path: String) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    let markup = "<img src=x onerror=hit()>"
    let bidi = "\u{202E}gpj.\u{2066}exe\u{0}\u{1B}[31m\u{200B}\r\n</script>"
    store.commit(
      markup + bidi,
      fileID: "<img src=x onerror=hit()>",
      function: "</style><script>hit()</script>",
      line: 1
    ) { state in
      for (id, name) in [
        (markup, markup + bidi), ("__proto__", "constructor"), ("$cut", markup),
        ("long", String(repeating: "long ", count: 2_000_000)),
      ] {
        state.db.authors.insert(Author(id: EntityID(id), name: name))
      }
      state.db.books.insert(Book(id: 1, title: markup + bidi, author: EntityID(markup)))
    }
    store.commit(markup, context: CommitContext(user: markup, fields: [markup: bidi])) { state in
      _ = try? state.db.books.updateIfExists(1) { $0.title = bidi + markup }
    }
    try await persistence.close()
  }

  /// One commit that changes a book.
  private func commit(to store: LibraryStore, _ random: inout SeededGenerator) {
    let (name, file, function, line) = Self.commits[Int.random(in: 0..<4, using: &random)]
    let book = Book.ID(1_000_000 + Int.random(in: 0..<books, using: &random))
    let rating = Double(Int.random(in: 1...5, using: &random))
    let context =
      Int.random(in: 0..<10, using: &random) == 0 ? CommitContext(user: "ann") : nil
    store.commit(name, context: context, fileID: file, function: function, line: line) { state in
      _ = try? state.db.books.updateIfExists(book) {
        switch name {
        case "rate": $0.rating = rating
        case "rename": $0.title += "."
        default: $0.author = EntityID("author-\(Int(rating))")
        }
        if name != "rename", name != "rate" { $0.rating = ($0.rating ?? 0) + 1 }
      }
    }
  }

  /// Makes commits at a rate until the process is killed.
  func commit(_ rate: Int, _ print: @Sendable (String) -> Void) async throws {
    let persistence = try await open { Date() }
    let store = LibraryStore(persistence)
    var random = SeededGenerator(seed: seed)
    let start = ContinuousClock.now
    var made = 0
    while true {
      let due = Int((ContinuousClock.now - start) / .milliseconds(1)) * rate / 1_000
      guard made < due else {
        usleep(500)
        continue
      }
      commit(to: store, &random)
      made += 1
      // A flush each tenth of a second, or after each commit where there are fewer.
      if made % max(1, rate / 10) == 0 {
        try await persistence.flush()
        let time = Int64(Date().timeIntervalSince1970 * 1_000)
        print("flushed \(persistence.durableRevision) \(time)")
      }
    }
  }

  /// A clock that moves from commit to commit.
  private struct Clock: Sendable {
    private let seconds: Lock<Double>

    init(start: Double) { seconds = Lock(start) }

    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

    /// Moves on by nine seconds, and over the night after nine hours.
    func move() {
      seconds.withLock { seconds in
        seconds += 9
        if seconds.truncatingRemainder(dividingBy: 86_400) > 32_400 { seconds += 54_000 }
      }
    }
  }
}
