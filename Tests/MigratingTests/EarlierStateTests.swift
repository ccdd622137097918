import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// States from before migrations, as the types of the newest build read them.
struct EarlierStateTests {
  private typealias First = FiveReleases.First
  private typealias Last = FiveReleases.Last

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func openLast(
    at path: String? = nil,
    _ migrations: [DataMigration]? = FiveReleases.migrations
  ) async throws -> Persistence<Last.State, Last.Database> {
    return try await Persistence.open(
      at: path ?? self.path,
      initialState: Last.State(),
      database: \.db,
      with: .opening(migrations: migrations, archive: nil)
    )
  }

  /// Commits of the first release.
  private func write(_ change: (Store<First.State, Never>) -> Void) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    change(Store<First.State, Never>(persistence))
    try await persistence.close()
  }

  private func reason(
    _ persistence: Persistence<Last.State, Last.Database>,
    at revision: Revision
  ) async throws -> PersistenceError.Reason? {
    do {
      _ = try await persistence.state(at: .revision(revision))
      return nil
    } catch {
      return error.reason
    }
  }

  @Test
  func `each state is what a launch from it leads to, and nothing is written`() async throws {
    try await FiveReleases.makeFirst(at: path)
    try await write { store in
      store.commit { $0.db.notes.remove("n4") }
      store.commit { state in
        if var note = state.db.notes["n1"] {
          note.text = "changed"
          state.db.notes.insert(note)
        }
        state.db.users.insert(First.User(id: "u9", name: "Nine", street: "9 Street", city: "Bonn"))
      }
    }
    let persistence = try await openLast()
    let position = persistence.revision
    #expect(try await persistence.state(at: .revision(1)) == FiveReleases.expected())
    for revision: Revision in [0, 1, 2, 3] {
      let fork = directory.path("fork \(revision).strata")
      try await StoreBackup.fork(
        try await backup(persistence, revision),
        at: .revision(revision),
        to: fork
      )
      let launched = try await openLast(at: fork)
      #expect(try await persistence.state(at: .revision(revision)) == launched.initialState.db)
      try await launched.close()
    }
    let third = try await persistence.state(at: .revision(3))
    #expect(third.users[9]?.age == 18)
    #expect(third.addresses["u9"]?.city == "Bonn")
    #expect(third.memos["n1"]?.body == "changed")
    #expect(persistence.revision == position)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  private func backup(
    _ persistence: Persistence<Last.State, Last.Database>,
    _ revision: Revision
  ) async throws -> String {
    let copy = directory.path("copy \(revision).strata")
    try await persistence.backup(to: copy)
    return copy
  }

  @Test(arguments: 0...4)
  func `a state between two migrations goes through the later ones only`(_ count: Int) async throws
  {
    try await FiveReleases.makeFirst(at: path)
    let migrator = DataMigrator(FiveReleases.migrations, at: path)
    if count > 0 { try await migrator.up(to: count) }
    let between = try await migrator.status().revision
    let persistence = try await openLast()
    #expect(try await persistence.state(at: .revision(between)) == FiveReleases.expected())
    try await persistence.close()
  }

  @Test
  func `a revert to a state from before migrations has the shape of today`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let persistence = try await openLast()
    let store = Store<Last.State, Never>(persistence)
    store.commit { state in
      state.db.memos.removeAll()
      state.db.users.remove(1)
    }
    try await persistence.revert(to: .revision(1))
    #expect(store.state.db == FiveReleases.expected())
    try await persistence.close()
    let again = try await openLast()
    #expect(again.initialState.db == FiveReleases.expected())
    try await again.close()
  }

  @Test
  func `scripts with joins and aggregates run on the earlier state`() async throws {
    struct User: EntityType {
      static let tableName: TableName = "users"
      let id: EntityID<User>
      var name: String
      var notes: Int
      var text: String?
    }
    struct Users: DatabaseType {
      var users = EntityTable<User>()
      static let schema = DatabaseSchema<Users> { Entities(\.users) }
    }
    struct App: StateType { var db = Users() }
    try await FiveReleases.makeFirst(at: path, users: 2)
    try await write { store in
      store.commit { state in
        state.db.notes.insert(First.Note(id: "n8", text: "zz", author: "u2"))
        state.db.notes.insert(First.Note(id: "n9", text: "yy", author: "u2"))
      }
      store.commit { $0.db.notes.remove("n1") }
    }
    let steps = [
      try DataMigration(
        "0001_counts",
        sql: """
          -- strata:allow destructive(users.street), destructive(users.city)
          ALTER TABLE users ADD COLUMN notes INTEGER;
          UPDATE users SET notes = (SELECT count(*) FROM notes WHERE author = users.id);
          ALTER TABLE users DROP COLUMN street;
          ALTER TABLE users DROP COLUMN city;
          """
      ),
      try DataMigration(
        "0002_last_text",
        sql: """
          ALTER TABLE users ADD COLUMN text TEXT;
          UPDATE users SET text = n.text FROM
            (SELECT author, max(text) AS text FROM notes GROUP BY author) AS n WHERE n.author = users.id;
          """
      ),
    ]
    let persistence = try await Persistence.open(
      at: path,
      initialState: App(),
      database: \.db,
      with: [.migrations(steps)]
    )
    func shown(_ database: Users) -> [String] {
      database.users.map { "\($0.id) \($0.notes) \($0.text ?? "none")" }.sorted()
    }
    #expect(shown(persistence.initialState.db) == ["u1 0 none", "u2 3 zz"])
    #expect(
      shown(try await persistence.state(at: .revision(1))) == ["u1 1 text 1", "u2 1 text 2"]
    )
    #expect(
      shown(try await persistence.state(at: .revision(2))) == ["u1 1 text 1", "u2 3 zz"]
    )
    try await persistence.close()
  }

  @Test
  func `what cannot run again is named`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let up = try await DataMigrator(FiveReleases.migrations, at: path).up()
    let without = try await openLast(nil)
    #expect(try await reason(without, at: 1) == .beforeMigration("0001_add_age"))
    #expect(try await reason(without, at: up.after) == nil)
    try await without.close()
    let squashed = [DataMigration("0005_squashed", replacing: 1...5)]
    let shorter = try await openLast(squashed)
    #expect(try await reason(shorter, at: 1) == .beforeMigration("0001_add_age"))
    try await shorter.close()
  }

  @Test
  func `a state with a migration that was taken back later goes through the later ones`()
    async throws
  {
    try await FiveReleases.makeFirst(at: path)
    let migrator = DataMigrator(FiveReleases.migrations, at: path)
    let applied = try await migrator.up(to: 1).after
    try await migrator.down(to: 0)
    let between = try await migrator.status().revision
    let persistence = try await openLast()
    for revision in [1, applied, between] {
      #expect(try await persistence.state(at: .revision(revision)) == FiveReleases.expected())
    }
    try await persistence.close()
  }

  @Test
  func `an older build reads no state of a migration that was taken back since`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let double = DataMigration("0001_double", table: "users") { user in
      if case .string(let name) = user["name"] { user["name"] = .string(name + " twice") }
    }
    let reversed = double.reversed(table: "users") { user in
      if case .string(let name) = user["name"] {
        user["name"] = .string(String(name.dropLast(" twice".count)))
      }
    }
    let migrator = DataMigrator([reversed], at: path)
    let applied = try await migrator.up().after
    try await migrator.down()
    let persistence = try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let unknown = DataMigrationError.takenBack("0001_double", at: applied)
    do {
      _ = try await persistence.state(at: .revision(applied))
      Issue.record("it was read")
    } catch {
      #expect(error.reason == .dataMigration(unknown))
    }
    do {
      try await persistence.revert(to: .revision(applied))
      Issue.record("it was reverted")
    } catch let error as PersistenceError {
      #expect(error.reason == .dataMigration(unknown))
    }
    #expect(try await persistence.state(at: .revision(1)) == persistence.initialState.db)
    try await persistence.close()
  }

  @Test
  func `a migration that was only noted does not run on an earlier state`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let first = Array(FiveReleases.migrations.prefix(1))
    let noted = [DataMigration("0001_add_age", table: "users") { $0["age"] = .integer(99) }]
    // The users have an age already, which the migration would change.
    try await DataMigrator(first, at: path).up()
    let aged = try await DataMigrator([], at: path).status().revision
    try RawSQLite.runAndRecomputeHashes("DELETE FROM migration WHERE kind = 1", on: path)
    try await write { $0.commit { $0.db.tags.insert(First.Tag(id: "t9")) } }
    try await DataMigrator(noted, at: path).baseline(at: 1)
    let persistence = try await openLast(noted + FiveReleases.migrations.dropFirst())
    let state = try await persistence.state(at: .revision(aged))
    #expect(state == FiveReleases.expected())
    try await persistence.close()
  }

  @Test
  func `a migration that fails on an earlier state says so`() async throws {
    try await FiveReleases.makeFirst(at: path)
    try await write { store in
      store.commit { $0.db.users.insert(First.User(id: "odd", name: "Odd")) }
      store.commit { $0.db.users.remove("odd") }
    }
    let strict = DataMigration("0001_add_age", table: "users") { user in
      guard user.id.text?.hasPrefix("u") ?? false else { throw Odd() }
      user["age"] = .integer(18)
    }
    let persistence = try await openLast([strict] + FiveReleases.migrations.dropFirst())
    let reason = try await reason(persistence, at: 2)
    guard case .failed("0001_add_age", let detail)? = reason?.feature(DataMigrationError.self)
    else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(detail.contains("Odd"))
    #expect(try await persistence.state(at: .revision(1)) == FiveReleases.expected())
    try await persistence.close()
  }

  private struct Odd: Error {}
}
