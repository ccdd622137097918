import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// The ledger of a store after its list was squashed, repaired or noted, and among commits with any names.
struct MigrationLedgerTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
  }

  private func touch(_ name: String, version: Int = 1) -> DataMigration {
    DataMigration(name, table: "users", version: version) { user in
      user["touched"] = .integer((try user.value(Int.self, of: "touched") ?? 0) + 1)
    }.reversed(table: "users") { $0.remove("touched") }
      .allowing(.destructive("users.touched"))
  }

  private func squashed(_ numbers: ClosedRange<Int>) -> DataMigration {
    DataMigration("000\(numbers.upperBound)_squashed", replacing: numbers)
  }

  private func migrator(_ migrations: DataMigration...) -> DataMigrator {
    DataMigrator(migrations, at: path)
  }

  private func reason(_ body: () async throws -> Void) async throws -> PersistenceError.Reason? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      return error.reason
    }
  }

  private func write(
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    _ body: (Store<FiveReleases.First.State, Never>) throws -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(.external)]
    )
    try body(Store<FiveReleases.First.State, Never>(persistence))
    try await persistence.close()
  }

  /// What the typed history says of a revision.
  private func reasonOfHistory(
    at revision: Revision,
    _ migrations: DataMigration...
  ) async throws -> PersistenceError.Reason? {
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations(migrations)]
    )
    let reason = try await self.reason { _ = try await persistence.state(at: .revision(revision)) }
    try await persistence.close()
    return reason
  }

  @Test
  func `a store that started under a squashed migration goes on under a later one`()
    async throws
  {
    try await migrator(squashed(1...2)).baseline(at: 2)
    try await migrator(squashed(1...2), touch("0003_c"), touch("0004_d")).up()
    let again = migrator(squashed(1...3), touch("0004_d"), touch("0005_e"))
    let status = try await again.status()
    #expect(status.problem == nil)
    #expect(status.entries.map(\.number) == [2, 3, 4, 5])
    #expect(status.entries.map(\.name) == ["0002_squashed", "0003_c", "0004_d", "0005_e"])
    #expect(status.entries.map(\.state) == [.applied, .applied, .applied, .pending])
    #expect(try await again.repairs() == [])
    #expect(try await again.up().steps.map(\.name) == ["0005_e"])
    #expect(try await migrator(squashed(1...5), touch("0006_f")).up().steps.map(\.number) == [6])
  }

  @Test
  func `a list from before a squash fits a store that started under it`() async throws {
    try await migrator(squashed(1...3)).baseline(at: 3)
    let whole = migrator(touch("0001_a"), touch("0002_b"), touch("0003_c"), touch("0004_d"))
    let status = try await whole.status()
    #expect(status.problem == nil)
    #expect(status.entries.map(\.name) == ["0001_a", "0002_b", "0003_c", "0004_d"])
    #expect(status.entries.map(\.state) == [.applied, .applied, .applied, .pending])
    #expect(status.entries.map(\.isReversible) == [false, false, false, true])
    #expect(try await whole.up().steps.map(\.name) == ["0004_d"])
    let partly = migrator(squashed(1...2), touch("0003_c"), touch("0004_d"))
    #expect(try await partly.verify().entries.map(\.state) == [.applied, .applied, .applied])
    // How the squashed ones changed the data is not known, so they stay.
    #expect(try await whole.down(to: 3).steps.map(\.name) == ["0004_d"])
    #expect(
      try await reason { try await whole.down(to: 2) }
        == .dataMigration(.notReversible("0003_squashed"))
    )
  }

  @Test
  func `a squashed migration of which a part is missing is refused`() async throws {
    try await migrator(squashed(1...3)).baseline(at: 3)
    let list = migrator(touch("0001_a"), squashed(2...4), touch("0005_e"))
    #expect(
      try await reason { try await list.up() }
        == .dataMigration(.tooOld(needs: 4, found: 3, squashed: "0004_squashed"))
    )
    let whole = migrator(touch("0001_a"), touch("0002_b"), touch("0003_c"), touch("0004_d"))
    try await whole.up()
    #expect(try await list.up().steps.map(\.name) == ["0005_e"])
  }

  @Test
  func `a baseline and a repair refuse a file that lost acknowledged commits`() async throws {
    try await migrator(touch("0001_a")).up()
    let older = directory.path("older.strata")
    try FileManager.default.copyItem(atPath: path, toPath: older)
    try await migrator(touch("0001_a"), touch("0002_b")).up()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: older, toPath: path)
    let head = FileManager.default.contents(atPath: path + ".head")
    let changed = migrator(touch("0001_a", version: 2), touch("0002_b"))
    let attempts: [() async throws -> Void] = [
      { try await changed.baseline(at: 2) }, { try await changed.repair() },
    ]
    for attempt in attempts {
      guard case .endMissing? = try await reason(attempt) else {
        Issue.record("it was not refused")
        continue
      }
      #expect(FileManager.default.contents(atPath: path + ".head") == head)
    }
    #expect(try await changed.history().map(\.number) == [1])
  }

  @Test
  func `the typed history goes through a repaired migration, and not through one that ran`()
    async throws
  {
    try await migrator(touch("0001_a")).up()
    try await migrator(touch("0001_x")).repair()
    #expect(
      try await reasonOfHistory(at: 1, touch("0001_x")) == .beforeMigration("0001_x", 1)
    )
  }

  @Test
  func `a repair notes how the migration is written now, and what was only noted stays so`()
    async throws
  {
    let script = try DataMigration("0001_a", sql: "UPDATE users SET city = 'Bern'")
    try await migrator(script).up()
    #expect(try await migrator().history().map(\.form) == [.sql])
    try await migrator(touch("0001_a")).repair()
    let row = try #require(try await migrator().history().first)
    #expect(row.form == .swift && row.script == nil)
    #expect(try await migrator(touch("0001_a")).verify().entries[0].form == .swift)
    try await migrator(touch("0001_a"), touch("0002_b")).baseline(at: 2)
    try await migrator(touch("0001_a"), touch("0002_x")).repair()
    #expect(try await migrator().history().map(\.form) == [.swift, .baseline])
  }

  @Test(arguments: [CommitTraces.nameAndPlace, .nameOnly])
  func `names of commits are no marks of the runner`(_ traces: CommitTraces) async throws {
    let before = try FiveReleases.contents(of: path)
    try await migrator(touch("0001_a")).up()
    try await write(PersistenceConfiguration(commitTraces: traces)) { store in
      store.commit("draft taken back") { $0.db.users.remove("u1") }
      store.commit("revert without types to nothing") { $0.db.users.remove("u2") }
    }
    try await migrator(touch("0001_a")).revert(to: 1)
    #expect(try FiveReleases.contents(of: path) == before)
  }

  @Test
  func `commits that are named as those of the runner are no marks of it`() async throws {
    try await write { store in
      store.commit("migration 0001_none taken back") { $0.db.users.remove("u1") }
      store.commit("revert without types to 0") { $0.db.users.remove("u2") }
      store.commit("migration 0001_none") { $0.db.users.remove("u3") }
    }
    let none = DataMigration("0001_none", table: "users") { _ in }
    try await migrator(none).up()
    #expect(try await reasonOfHistory(at: 4, none) == .beforeMigration("0001_none", 4))
    #expect(try await reasonOfHistory(at: 5, none) == nil)
    try await migrator(none).revert(to: 1)
    #expect(try FiveReleases.contents(of: path)["users"]?.count == 5)
  }
}
