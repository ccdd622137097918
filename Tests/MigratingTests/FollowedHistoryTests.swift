import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataRecords
import TestSupport
import Testing

/// What was an entity before a migration gave it another ID, or its table another name.
struct FollowedHistoryTests {
  let directory: TemporaryDirectory
  let path: String
  let inspector: Inspector

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 3)
    try await DataMigrator(FiveReleases.migrations, at: path).up()
    inspector = try Inspector(path: path)
  }

  /// The revisions that gave the fields of an entity their values.
  private func revisions(
    _ table: String,
    _ id: String,
    _ following: Following = .moves
  ) throws -> [String: Int64?] {
    let page = try inspector.blame(table: table, id: id, following: following)
    return Dictionary(
      uniqueKeysWithValues: page.entities[0].fields.map { ($0.name, $0.commit?.revision) }
    )
  }

  @Test func `blame goes on through a rename of the table and of a field`() throws {
    #expect(
      try revisions("memos", "n1") == ["body": 1, "author": 5, "readers": 5, "score": 1]
    )
    #expect(
      try revisions("memos", "n1", .nothing)
        == ["body": 3, "author": 5, "readers": 5, "score": 3]
    )
  }

  @Test func `blame goes on through a change of the ID`() throws {
    #expect(try revisions("users", "1") == ["name": 1, "age": 2])
    #expect(try revisions("users", "1", .nothing) == ["name": 5, "age": 5])
  }

  @Test func `history has the versions before a rename first, and says what moved`() throws {
    let versions = try inspector.history(table: "memos", id: "n1").versions
    #expect(versions.map(\.operation) == [.inserted, .moved, .updated])
    #expect(versions.map(\.commit.revision) == [1, 3, 5])
    #expect(versions[1].former?.table == "notes" && versions[1].former?.id == .string("n1"))
    #expect(versions[1].changes.map(\.field).sorted() == ["body", "text"])
    let stopped = try inspector.history(table: "memos", id: "n1", following: .nothing).versions
    #expect(stopped.map(\.operation) == [.inserted, .updated])
  }

  @Test func `history has the versions before a change of the ID first`() throws {
    let versions = try inspector.history(table: "users", id: "1").versions
    #expect(versions.map(\.operation) == [.inserted, .updated, .updated, .moved])
    #expect(versions.map(\.commit.revision) == [1, 2, 4, 5])
    #expect(versions[3].former?.id == .string("u1"))
    #expect(versions[3].changes.map(\.field) == ["id"])
  }

  @Test func `an entity that is like several removed ones is not followed`() async throws {
    typealias First = FiveReleases.First
    let other = directory.path("other.strata")
    try await FiveReleases.makeFirst(at: other)
    let persistence = try await Persistence.open(
      at: other,
      initialState: First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<First.State, Never>(persistence)
    store.commit { state in
      for id in ["x1", "x2"] {
        state.db.users.insert(First.User(id: EntityID(id), name: "Same"))
      }
    }
    store.commit { state in
      state.db.users.remove("x1")
      state.db.users.remove("x2")
      state.db.users.insert(First.User(id: "x3", name: "Same"))
    }
    try await persistence.close()
    let versions = try Inspector(path: other).history(table: "users", id: "x3").versions
    #expect(versions.map(\.operation) == [.inserted])
  }
}
