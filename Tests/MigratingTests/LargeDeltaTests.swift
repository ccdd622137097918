import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

@testable import StrataJournal

/// A snapshot merges the blocks of large deltas without holding them.
struct LargeDeltaTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let seed = randomSeed()
  /// About as many records of 2 kB as seven blocks hold.
  private static let books = 3_600

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    migrations: [DataMigration] = []
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      ),
      with: [.migrations(migrations)]
    )
  }

  private func view() throws -> ReadView {
    try ReadView(try Connection(path: path, mode: .readOnly))
  }

  private func title(_ name: String) -> String { name + String(repeating: "x", count: 2_000) }

  /// A migration that changes most books, and removes some.
  private static func migration(_ number: Int) -> DataMigration {
    DataMigration("000\(number)_change", table: "books") { book in
      guard case .int(let id, _) = book.id, Int(id) % 4 != number else { return }
      if Int(id) % (5 * number) == number { book.removeRecord() }
      book["title"] = book["title"]?.text.map { .string("\(number)" + $0) }
    }.allowing(.deletes("books"))
  }

  /// Three migrations that change most books, with small commits between them; returns the last state.
  ///
  /// The commit that adds the books is a large delta too; its changes are in no order.
  private func write() async throws -> LibraryDatabase {
    var random = SeededGenerator(seed: seed)
    var last = LibraryDatabase()
    for number in 0...3 {
      let persistence = try await open(migrations: (0..<number).map { Self.migration($0 + 1) })
      let store = LibraryStore(persistence)
      if number == 0 {
        store.commit("all") { state in
          for id in 0..<Self.books {
            state.db.books.insert(Book(id: EntityID(id), title: title("0")))
            if id % 100 == 0 {
              state.db.authors.insert(Author(id: EntityID("author-\(id)"), name: "\(id)"))
            }
          }
        }
      }
      for small in 0..<20 {
        store.commit("small \(small)") { state in
          let id = Int.random(in: 0..<Self.books + 10, using: &random)
          state.db.books.insert(Book(id: EntityID(id), title: "small \(number)"))
          state.db.authors.remove(Author.ID("author-\(small * 100)"))
          state.db.authors.insert(Author(id: "clock", name: "\(number) \(small)"))
        }
      }
      last = store.state.db
      try await persistence.close()
    }
    return last
  }

  /// What has changed since a snapshot, of which the last one is the first that was taken.
  private func gather(_ view: ReadView, since snapshot: StoredSnapshot?) throws -> [ChangeRun] {
    let base = try #require(snapshot).header
    var replay = view.replay(after: base)
    var changes = GatheredChanges(in: view.journal)
    while try changes.addNext(of: &replay) != nil {}
    #expect(replay.revision == view.last.revision)
    return changes.finish()
  }

  /// One store for all of it, which takes most of the time.
  @Test func `a snapshot reads large deltas again instead of holding them`() async throws {
    let expected = try await write()
    let view = try view()
    try checkChanges(view)
    try checkMerge(view)
    try checkWhatIsRewritten(view)
    try checkSnapshots(expected)
    try checkOtherBlock(view)
  }

  /// Large deltas stay in the file, and give what they give in memory.
  private func checkChanges(_ view: ReadView) throws {
    let runs = try gather(view, since: view.anchors.last)
    let stored = runs.filter { if case .stored = $0 { true } else { false } }
    try #require(stored.count == 3)
    #expect(runs.count == 7)
    var overlay = Overlay()
    var replay = view.replay(after: try #require(view.anchors.last).header)
    try replay.replay(into: &overlay)
    let expected = overlay.sorted()
    var found = try ChangeCursor(runs)
    for index in 0..<expected.count {
      try #require(found.key == expected.key(index), "seed \(seed)")
      let put = expected.put(index)?.entity(expected.change(index).entry)
      #expect(try found.next() == put, "seed \(seed)")
    }
    #expect(found.key == nil)
  }

  /// Merged chunk by chunk, a snapshot and large deltas are the database.
  private func checkMerge(_ view: ReadView) throws {
    // After the first migration.
    let base = try #require(view.anchors.dropLast().last)
    let runs = try gather(view, since: base)
    var overlay = Overlay()
    var replay = view.replay(after: base.header)
    try replay.replay(into: &overlay)
    var expected = MergeIterator(try view.cursor(base), overlay)
    var merge = ChunkMerge(try view.cursor(base), try ChangeCursor(runs))
    while merge.nextPart() != nil {
      while let entity = try merge.next() {
        try #require(try entity == expected.next(), "seed \(seed)")
      }
    }
    #expect(try expected.next() == nil)
  }

  /// What a snapshot rewrites is known before it is merged.
  private func checkWhatIsRewritten(_ view: ReadView) throws {
    let base = try #require(view.anchors.dropLast().last)
    var counts = (changed: 0, unchanged: 0)
    for run in try gather(view, since: base) {
      var merge = ChunkMerge(try view.cursor(base), try ChangeCursor([run]))
      var table = ""
      while let part = merge.nextPart() {
        if let chunk = part.chunk {
          let start = part.table == table ? chunk.key : EntityKey(table: part.table, id: [])
          let mayChange = run.mayChange(chunk, from: start)
          if part.hasChanges { #expect(mayChange, "seed \(seed)") }
          if mayChange { counts.changed += 1 } else { counts.unchanged += 1 }
        }
        table = part.table
        while try merge.next() != nil {}
      }
    }
    #expect(counts.changed > 0 && counts.unchanged > 0)
  }

  /// The snapshots that were taken are what the deltas say.
  private func checkSnapshots(_ expected: LibraryDatabase) throws {
    let inspector = try Inspector(path: path)
    // Each of them was taken after a migration.
    #expect(try inspector.info().snapshots.count == 4)
    let verification = try inspector.verify()
    #expect(verification.isSound, "seed \(seed)\n\(verification)")
    #expect(
      try inspector.database(over: LibraryDatabase(), at: Revision(inspector.info().revision))
        == expected
    )
  }

  /// A block that is another one when it is read again is refused.
  private func checkOtherBlock(_ view: ReadView) throws {
    let runs = try gather(view, since: view.anchors.last)
    try RawSQLite.run(
      """
      UPDATE delta_part SET body = (SELECT body FROM delta_part WHERE part = 1 LIMIT 1)
        WHERE part = 2
      """,
      on: path
    )
    var changes = try ChangeCursor(runs)
    #expect(throws: CorruptionError.self) {
      while changes.key != nil { _ = try changes.next() }
    }
  }

  @Test func `deltas whose changes are in no order are held`() async throws {
    var delta = LargeDelta(1, in: try await emptyJournal())
    var builder = ChangeBlockBuilder()
    for id: UInt8 in [1, 2] { builder.remove([id], from: "books") }
    delta.add(try ChangeBlock(builder.finish()))
    #expect(delta.isSorted)
    var next = ChangeBlockBuilder()
    next.remove([2], from: "books")
    delta.add(try ChangeBlock(next.finish()))
    #expect(!delta.isSorted)
  }

  private func emptyJournal() async throws -> Journal {
    try await open().close()
    return try view().journal
  }
}
