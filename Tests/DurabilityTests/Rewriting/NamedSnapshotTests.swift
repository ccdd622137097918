import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Named snapshots of closed and of open stores.
struct NamedSnapshotTests {
  let directory: TemporaryDirectory
  let path: String
  let script = LibraryScript(seed: 12)

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// Trims all that it may after each snapshot.
  private static let trimming = SnapshotPolicy(
    minimumJournalBytes: 500,
    minimumHistoryBytes: 500
  )

  private func open(
    _ policy: SnapshotPolicy
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy)
    )
  }

  /// Writes 60 commits with snapshots named 10, 20 … 60; the early ones lie before the journal.
  private func write() async throws {
    let persistence = try await open(Self.trimming)
    let store = LibraryStore(persistence)
    for number in Int64(1)...60 {
      store.commit("step") { [script] in script.commit(number, to: &$0.db) }
      if number % 10 == 0 { try await persistence.snapshot(named: "\(number)") }
    }
    try await persistence.close()
  }

  private func names() throws -> [String: Int64] {
    var names: [String: Int64] = [:]
    for snapshot in try Inspector(path: path).info().snapshots {
      for name in snapshot.names { names[name] = snapshot.revision }
    }
    return names
  }

  @Test func `a closed store gets a snapshot with a name, and a taken name is refused`()
    async throws
  {
    let persistence = try await open(SnapshotPolicy())
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    #expect(try NamedSnapshots(of: path).create("first") == 1)
    let info = try Inspector(path: path).info()
    #expect(info.snapshots.map(\.revision) == [1, 0])
    // The same revision again changes nothing.
    #expect(try NamedSnapshots(of: path).create("first") == 1)
    #expect(try Inspector(path: path).info().snapshots == info.snapshots)
    let again = try await open(SnapshotPolicy())
    LibraryStore(again).commit { $0.db.books.insert(Book(id: 2)) }
    let error = #expect(throws: PersistenceError.self) {
      try NamedSnapshots(of: path).create("second")
    }
    guard case .alreadyOpen? = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    try await again.close()
    let taken = #expect(throws: PersistenceError.self) {
      try NamedSnapshots(of: path).create("first")
    }
    #expect(taken?.reason == .nameTaken("first", 1))
    #expect(try names() == ["first": 1])
    #expect(try NamedSnapshots(of: path).create("first", ifTaken: .move) == 2)
    #expect(try names() == ["first": 2])
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `pruning removes names and the snapshots that only they kept`() async throws {
    try await write()
    let before = try Inspector(path: path).info()
    let first = try #require(before.journal.first)
    #expect(first > 20, "the early snapshots must lie before the journal")
    let plan = try NamedSnapshots(of: path).plan(.names(["10", "20", "60"]))
    #expect(try Inspector(path: path).info() == before)
    let removal = try NamedSnapshots(of: path).prune(.names(["10", "20", "60"]))
    #expect(removal.names.map(\.name) == ["10", "20", "60"])
    #expect(removal.names.elementsEqual(plan.names) { $0 == $1 })
    #expect(removal.snapshots == [10, 20] && plan.snapshots == [10, 20])
    let after = try Inspector(path: path).info()
    #expect(try names() == ["30": 30, "40": 40, "50": 50])
    #expect(after.snapshots.map(\.revision) == before.snapshots.map(\.revision).filter { $0 > 20 })
    #expect(after.journal == before.journal)
    #expect(removal.bytes != nil && plan.bytes == nil)
    let connection = try Connection(path: path, mode: .readOnly)
    let unlisted = try connection.first(
      "SELECT count(*) FROM chunk WHERE id NOT IN (SELECT chunk FROM listing)",
      []
    ) { try $0.int(0) }
    #expect(unlisted == 0)
    try connection.close()
    for revision in [30, 40, after.journal.readable, 60] {
      #expect(
        try Inspector(path: path).database(
          over: LibraryDatabase(),
          at: Revision(revision)
        ) == script.database(after: revision)
      )
    }
    #expect(try Inspector(path: path).verify().isSound)
    let older = try NamedSnapshots(of: path).plan(.allBut(newest: 1))
    #expect(older.names.map(\.name) == ["30", "40"])
    let cut = RevisionExpression.point(.revision(40))
    #expect(try NamedSnapshots(of: path).plan(.before(cut)).names.map(\.name) == ["30"])
    let error = #expect(throws: PersistenceError.self) {
      try NamedSnapshots(of: path).prune(.names(["30", "never"]))
    }
    #expect(error?.reason == .notFound("snapshot named “never”"))
    #expect(try names() == ["30": 30, "40": 40, "50": 50])
  }

  @Test func `an open store lists, renames and removes names`() async throws {
    try await write()
    let persistence = try await open(Self.trimming)
    let store = LibraryStore(persistence)
    #expect(
      try await persistence.snapshotNames.map(\.name) == ["10", "20", "30", "40", "50", "60"]
    )
    #expect(try await persistence.renameSnapshot("10", to: "start") == 10)
    var error = await #expect(throws: PersistenceError.self) {
      try await persistence.renameSnapshot("20", to: "start")
    }
    #expect(error?.reason == .nameTaken("start", 10))
    error = await #expect(throws: PersistenceError.self) {
      try await persistence.renameSnapshot("10", to: "other")
    }
    #expect(error?.reason == .notFound("snapshot named “10”; did you mean 20?"))
    #expect(try await persistence.state(at: .snapshot("start")) == script.database(after: 10))
    try await persistence.removeSnapshots(named: ["start", "60"])
    #expect(try await persistence.snapshotNames.map(\.name) == ["20", "30", "40", "50"])
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    #expect(try !Inspector(path: path).info().snapshots.map(\.revision).contains(10))
    #expect(try Inspector(path: path).verify().isSound)
  }
}
