import Foundation
import Strata
import StrataBase
import StrataCore
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// What blame, diff, log and fork say, compared with the model at every revision.
struct LookingTests {
  let directory: TemporaryDirectory
  let path: String
  let seed = randomSeed()

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private static let revisions = 120

  private func open(
    _ policy: SnapshotPolicy,
    at path: String? = nil
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path ?? self.path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy)
    )
  }

  /// Takes snapshots all the time and keeps everything.
  private static let foldsOnly = SnapshotPolicy(
    minimumJournalBytes: 4_000,
    minimumHistoryBytes: 1 << 40
  )

  /// Commits the script and returns the database at every revision from 0 on.
  private func write() async throws -> [LibraryDatabase] {
    let persistence = try await open(Self.foldsOnly)
    let store = LibraryStore(persistence)
    var states = [store.state.db]
    let script = LibraryScript(seed: seed)
    for number in 1...Self.revisions {
      store.commit("step \(number)") { state in
        script.commit(Int64(number), to: &state.db)
        // The script may end without a book, and without an update of one.
        if number == 60 { state.db.books.insert(Book(id: 5_001, title: "first")) }
        if number == 61 { state.db.books.insert(Book(id: 5_001, title: "second")) }
        if number == Self.revisions { state.db.books.insert(Book(id: 5_000, title: "last")) }
      }
      states.append(store.state.db)
      if number % 20 == 0 { try await persistence.flush() }
    }
    try await persistence.close()
    return states
  }

  private func differing<Entity: EntityType>(
    _ from: EntityTable<Entity>,
    _ to: EntityTable<Entity>
  ) -> TableDifference {
    var difference = TableDifference(table: "")
    for entity in to {
      guard let before = from[entity.id] else {
        difference.added += 1
        continue
      }
      if before != entity { difference.changed += 1 }
    }
    for entity in from where to[entity.id] == nil { difference.removed += 1 }
    return difference
  }

  private func tables(_ from: LibraryDatabase, _ to: LibraryDatabase) -> [TableDifference] {
    var differences = [
      differing(from.archivedBooks, to.archivedBooks), differing(from.authors, to.authors),
      differing(from.books, to.books), differing(from.loans, to.loans),
    ]
    for (index, name) in ["archived_books", "authors", "books", "loans"].enumerated() {
      differences[index].table = name
    }
    return differences.filter { $0.count > 0 }
  }

  @Test func `a diff of any two revisions is that of the model, forwards and backwards`()
    async throws
  {
    let states = try await write()
    let inspector = try Inspector(path: path)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let from = Int.random(in: 0...Self.revisions, using: &random)
      let to = Int.random(in: 0...Self.revisions, using: &random)
      let span = try RevisionSpan("\(from)..\(to)", now: Date())
      let difference = try inspector.diff(span)
      #expect(
        difference.tables == tables(states[from], states[to]),
        "seed \(seed), \(from)..\(to)"
      )
      #expect(difference.entities.count == difference.count)
      let back = try inspector.diff(RevisionSpan(from: span.end, to: span.start))
      #expect(back.count == difference.count)
      for (there, back) in zip(difference.entities, back.entities) {
        #expect(there.id == back.id)
        #expect(Set(there.fields.map(\.field)) == Set(back.fields.map(\.field)))
        for field in there.fields {
          let opposite = back.fields.first { $0.field == field.field }
          #expect(opposite?.from == field.to && opposite?.to == field.from)
        }
      }
    }
  }

  @Test func `a diff of more entities than are held by name counts each of them`() async throws {
    let persistence = try await open(SnapshotPolicy(keepsAllHistory: true))
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<22_000).lazy.map { bulkBook($0) }) }
    store.commit { state in
      for number in 0..<20_500 {
        var book = bulkBook(number)
        book.title += "."
        state.db.books.insert(book)
      }
    }
    store.commit { state in
      for number in 0..<500 { state.db.books.insert(bulkBook(number)) }
      for number in 21_990..<22_000 { state.db.books.remove(bulkBook(number).id) }
      for number in 22_000..<22_005 { state.db.books.insert(bulkBook(number)) }
    }
    try await persistence.close()
    let inspector = try Inspector(path: path)
    let difference = try inspector.diff(RevisionSpan("1..3", now: Date()), limit: 7)
    var expected = TableDifference(table: "books")
    (expected.added, expected.removed, expected.changed) = (5, 10, 20_000)
    #expect(difference.tables == [expected])
    #expect(difference.entities.map { $0.id?.integer } == (1_000_500..<1_000_507).map { $0 })
    let one = try inspector.diff(RevisionSpan("1..3", now: Date()), table: "books", id: "1000600")
    #expect(one.entities.map { $0.fields.map(\.field) } == [["title"]])
    let none = try inspector.diff(RevisionSpan("1..3", now: Date()), table: "books", id: "1000042")
    #expect(none.entities.isEmpty)
  }

  @Test func `each field is blamed on the last commit that changed it`() async throws {
    let states = try await write()
    let persistence = try await open(Self.foldsOnly)
    let last = try #require(states.last)
    var fields = 0
    let tables: [(TableName, EntityTable<Book>, KeyPath<LibraryDatabase, EntityTable<Book>>)] = [
      ("books", last.books, \.books), ("archived_books", last.archivedBooks, \.archivedBooks),
    ]
    for (table, books, path) in tables {
      for book in books {
        fields += try await check(book, in: table, states, at: path, persistence)
      }
    }
    try #require(fields > 0, "seed \(seed)")
    #expect(try await persistence.blame(of: Author.ID("nobody")).isEmpty)
    await #expect(throws: PersistenceError.self) {
      _ = try await persistence.blame(of: Author.ID("clock"), in: "books")
    }
    try await persistence.close()
  }

  /// The first revision from which on a field has always been what it is.
  private static func revision(
    of field: String,
    of book: Book,
    _ states: [LibraryDatabase],
    at path: KeyPath<LibraryDatabase, EntityTable<Book>>,
    upTo last: Int
  ) -> Int {
    let value = { (book: Book) -> String in
      switch field {
      case "title": book.title
      case "author": book.author.raw
      default: book.rating.map { "\($0)" } ?? ""
      }
    }
    var revision = last
    while revision > 0, let before = states[revision - 1][keyPath: path][book.id],
      value(before) == value(book)
    {
      revision -= 1
    }
    return revision
  }

  @Test func `blame at any revision names the last commit before it`() async throws {
    let states = try await write()
    let inspector = try Inspector(path: path)
    var updates = 0
    for at in [1, 17, 40, 61, 75, 99, Self.revisions] {
      let page = try inspector.blame(table: "books", at: .point(.revision(Revision(Int64(at)))))
      #expect(page.entities.count == states[at].books.count, "seed \(seed), \(at)")
      for entity in page.entities {
        guard case .int(let number, _)? = entity.id else {
          Issue.record("\(String(describing: entity.id))")
          continue
        }
        let book = try #require(states[at].books[Book.ID(Int(number))])
        for field in entity.fields {
          let revision = Self.revision(of: field.name, of: book, states, at: \.books, upTo: at)
          #expect(field.commit?.revision == Int64(revision), "seed \(seed), \(at), \(book.id)")
          if states[revision - 1].books[book.id] != nil { updates += 1 }
        }
      }
    }
    try #require(updates > 0, "seed \(seed)")
  }

  @Test func `a named snapshot that the journal has left behind is its own oldest revision`()
    async throws
  {
    let persistence = try await open(SnapshotPolicy(minimumJournalBytes: 1 << 40))
    let store = LibraryStore(persistence)
    store.commit("first") { $0.db.books.insert(Book(id: 1, title: "one")) }
    try await persistence.snapshot(named: "early")
    store.commit("second") { $0.db.books.insert(Book(id: 1, title: "two")) }
    try await persistence.flush()
    try await persistence.compact()
    try await persistence.close()
    let inspector = try Inspector(path: path)
    try #require(try inspector.info().journal.readable == 2)
    let page = try inspector.blame(table: "books", at: .point(.snapshot("early")))
    #expect(page.revision == 1)
    #expect(page.oldest == 1)
    #expect(page.entities.flatMap(\.fields).allSatisfy { $0.commit == nil })
    let history = try inspector.history(
      table: "books",
      id: "1",
      through: .point(.snapshot("early"))
    )
    #expect(history.versions.map(\.operation) == [.base])
  }

  @Test func `a search of all history lists a field only when it gets its value`() async throws {
    let persistence = try await open(Self.foldsOnly)
    let store = LibraryStore(persistence)
    let titles: [String?] = ["a needle", "a needle", "hay", "a needle", nil, "a needle"]
    for (number, title) in titles.enumerated() {
      store.commit { state in
        state.db.books.remove(1)
        guard let title else { return }
        state.db.books.insert(Book(id: 1, title: title, rating: Double(number)))
      }
    }
    try await persistence.close()
    let hits = try Inspector(path: path).find(SearchText("needle"), .history).hits
    #expect(hits.map(\.commit?.revision) == [1, 4, 6])
  }

  /// Compares the blame of each field with the states, and returns how many fields there are.
  private func check(
    _ book: Book,
    in table: TableName,
    _ states: [LibraryDatabase],
    at path: KeyPath<LibraryDatabase, EntityTable<Book>>,
    _ persistence: Persistence<LibraryState, LibraryDatabase>
  ) async throws -> Int {
    let blame = try await persistence.blame(of: book.id, in: table)
    #expect(Set(blame.map(\.field)).isSubset(of: ["title", "author", "rating"]))
    for field in blame {
      let revision = Self.revision(
        of: field.field,
        of: book,
        states,
        at: path,
        upTo: Self.revisions
      )
      #expect(
        field.commit?.revisions.upperBound == Revision(Int64(revision)),
        "seed \(seed), book \(book.id), \(field)"
      )
      #expect(field.commit?.name == "step \(revision)")
    }
    return blame.count
  }

  @Test func `the log tells what was inserted from what was updated, and names the fields`()
    async throws
  {
    let states = try await write()
    let inspector = try Inspector(path: path)
    for start in [0, 37, 90] {
      var request = LogRequest(.after(Revision(Int64(start)), limit: 20))
      request.detail = .fields
      for delta in try inspector.log(request).deltas {
        let (before, after) = (
          states[Int(delta.revision) - 1].books, states[Int(delta.revision)].books
        )
        let books = delta.changes.first { $0.table == "books" }
        let put = Set(after.filter { before[$0.id] != $0 }.map { "\($0.id.raw)" })
        let inserted = Set(after.filter { before[$0.id] == nil }.map { "\($0.id.raw)" })
        #expect(Set(books?.put ?? []) == put, "seed \(seed), \(delta.revision)")
        #expect(Set(books?.inserted ?? []) == inserted, "seed \(seed), \(delta.revision)")
        for (id, fields) in books?.fields ?? [:] {
          let id = Book.ID(try #require(Int(id)))
          let (old, new) = (try #require(before[id]), try #require(after[id]))
          var expected: Set<String> = []
          if old.title != new.title { expected.insert("title") }
          if old.author != new.author { expected.insert("author") }
          if old.rating != new.rating { expected.insert("rating") }
          #expect(Set(fields) == expected, "seed \(seed), \(delta.revision), \(id)")
        }
      }
    }
  }

  @Test func `a filter of the log changes nothing in the commits that it leaves`() async throws {
    _ = try await write()
    let inspector = try Inspector(path: path)
    var request = LogRequest(.after(0, limit: .max))
    request.detail = .fields
    let all = try inspector.log(request).deltas
    request.filter = LogFilter(name: "7")
    let some = try inspector.log(request).deltas
    #expect(!some.isEmpty && some.count < all.count)
    #expect(some == all.filter { $0.name.contains("7") }, "seed \(seed)")
  }

  @Test func `a fork is the model at its revision, with the history up to there`() async throws {
    let states = try await write()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for revision in [0, 1, 60, Self.revisions] {
      let copy = directory.path("fork-\(revision).strata")
      let fork = try await Persistence<LibraryState, LibraryDatabase>.fork(
        of: path,
        at: .revision(Revision(Int64(revision))),
        to: copy,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(fork)
      #expect(store.state.db == states[revision], "seed \(seed), \(revision)")
      #expect(fork.revision == Revision(Int64(revision)))
      #expect(try await fork.state(at: .revision(0)) == states[0])
      // It goes on with commits of its own.
      store.commit("own") { $0.db.books.insert(Book(id: 7_777)) }
      try await fork.flush()
      #expect(fork.revision == Revision(Int64(revision + 1)))
      try await fork.close()
      #expect(try Inspector(path: copy).verify().isSound)
      let difference = try Inspector(path: path).compare(
        with: Inspector(path: copy),
        at: .point(.revision(Revision(Int64(revision))))
      )
      #expect(difference.count == 0)
      #expect(try Inspector(path: copy).info().lineages.map(\.reason) == [.created, .forked])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    // Two forks differ as their revisions do.
    let (early, late) = (directory.path("fork-1.strata"), directory.path("fork-60.strata"))
    var expected = states[60]
    expected.books.insert(Book(id: 7_777))
    var start = states[1]
    start.books.insert(Book(id: 7_777))
    let difference = try Inspector(path: early).compare(with: Inspector(path: late))
    #expect(difference.tables == tables(start, expected), "seed \(seed)")
  }

  @Test func `nothing of what came later is in the bytes of a fork`() async throws {
    let persistence = try await open(Self.foldsOnly)
    let store = LibraryStore(persistence)
    store.commit("first") { $0.db.books.insert(Book(id: 1, title: "kept words")) }
    try await persistence.flush()
    for round in 0..<30 {
      store.commit("later") { state in
        for id in 2..<40 {
          state.db.books.insert(Book(id: EntityID(id), title: "planted secret \(round)"))
        }
      }
    }
    try await persistence.snapshot(named: "planted name")
    try await persistence.close()
    let copy = directory.path("fork.strata")
    let position = try await StoreBackup.fork(path, at: .revision(1), to: copy)
    #expect(position.revision == 1)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
    #expect(bytes.range(of: Data("kept words".utf8)) != nil)
    #expect(bytes.range(of: Data("planted name".utf8)) == nil)
    #expect(bytes.range(of: Data("planted secret".utf8)) == nil)
  }

  @Test func `a store that is moved away while it is looked at is missing, and then there again`()
    async throws
  {
    _ = try await write()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    let away = directory.path("away")
    try FileManager.default.createDirectory(atPath: away, withIntermediateDirectories: false)
    let inspector = try Inspector(path: path)
    for name in names {
      try FileManager.default.moveItem(atPath: directory.path(name), toPath: "\(away)/\(name)")
    }
    let error = #expect(throws: PersistenceError.self) { try inspector.lastRevision() }
    #expect(error?.reason == .missing)
    for name in names {
      try FileManager.default.moveItem(atPath: "\(away)/\(name)", toPath: directory.path(name))
    }
    #expect(try inspector.lastRevision() == Revision(Int64(Self.revisions)))
  }

  @Test func `a fork that cannot be made leaves nothing behind`() async throws {
    _ = try await write()
    let files = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    let copy = directory.path("fork.strata")
    var error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.fork(path, at: .revision(9_999), to: copy)
    }
    #expect(error?.reason == .notReached(9_999, last: Revision(Int64(Self.revisions))))
    error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.fork(path, at: .snapshot("never"), to: copy)
    }
    #expect(error?.reason == .notFound("snapshot named “never”"))
    error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.fork(path, at: .revision(1), to: path)
    }
    #expect(error?.reason == .fileExists(try StorePath(path, for: .forking).file))
    let open = try await open(Self.foldsOnly)
    error = await #expect(throws: PersistenceError.self) {
      try await StoreBackup.fork(path, at: .revision(1), to: copy)
    }
    guard case .alreadyOpen? = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    try await open.close()
    let after = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
    #expect(after.filter { !$0.hasSuffix(".lock") } == files.filter { !$0.hasSuffix(".lock") })
  }
}
