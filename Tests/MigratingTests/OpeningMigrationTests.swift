import Foundation
import ProductSupport
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataStorage
import TestSupport
import Testing

/// Migrations that run when a program opens its store.
struct OpeningMigrationTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private typealias Last = FiveReleases.Last

  private func openLast(
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    _ migrations: [DataMigration] = FiveReleases.migrations,
    running: MigrationConfiguration = MigrationConfiguration()
  ) async throws(PersistenceError) -> Persistence<Last.State, Last.Database> {
    try await Persistence.open(
      at: path,
      initialState: Last.State(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(migrations, running)]
    )
  }

  @Test
  func `a new store starts with all migrations noted`() async throws {
    let persistence = try await openLast()
    try await persistence.close()
    let ledger = try await DataMigrator([], at: path).history()
    #expect(ledger.map(\.number) == [1, 2, 3, 4, 5])
    #expect(ledger.allSatisfy { $0.form == .baseline })
    let again = try await openLast()
    #expect(again.report.migrations == nil)
    try await again.close()
  }

  @Test
  func `pending migrations are refused where the policy says so, and for reading`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let before = try StoreBytes(path)
    let refusing = MigrationConfiguration(policy: .refuseIfPending)
    let pending = PersistenceError.Reason.dataMigration(
      .pending(FiveReleases.migrations.map(\.name))
    )
    let error = await #expect(throws: PersistenceError.self) {
      try await openLast(running: refusing)
    }
    #expect(error?.reason == pending)
    let reading = PersistenceConfiguration(restore: .readOnly)
    let refused = await #expect(throws: PersistenceError.self) { try await openLast(reading) }
    #expect(refused?.reason == pending)
    #expect(try StoreBytes(path) == before)
  }

  @Test
  func `progress names the migrations`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let seen = Lock<[String]>([])
    var running = MigrationConfiguration()
    running.progress = { progress in
      seen.withLock { if progress.records > 0 { $0.append(progress.migration) } }
    }
    try await openLast(running: running).close()
    #expect(seen.withLock { $0 } == ["0001_add_age", "0003_split_address"])
  }

  @Test
  func `a renamed table is not opened empty, and the error names the migration`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let before = try StoreBytes(path)
    let error = await #expect(throws: PersistenceError.self) {
      try await openLast(PersistenceConfiguration(), [])
    }
    // The users cannot be decoded either, so only the tables are looked at here.
    struct OtherDatabase: DatabaseType {
      var users = EntityTable<FiveReleases.First.User>()
      var memos = EntityTable<FiveReleases.Last.Memo>()
      static let schema = DatabaseSchema<OtherDatabase> {
        Entities(\.users)
        Entities(\.memos)
      }
    }
    struct OtherState: StateType { var db = OtherDatabase() }
    #expect(error != nil)
    let gone = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: OtherState(),
        database: \.db,
        with: [.migrations([])]
      )
    }
    #expect(
      gone?.reason == .tablesGone(["notes": 5, "tags": 5], new: ["memos"])
    )
    #expect(gone?.description.contains(".rename(\"notes\", to: \"memos\")") == true)
    #expect(try StoreBytes(path) == before)
    var configuration = PersistenceConfiguration()
    configuration.unknownTables = .keep
    let kept = try await Persistence.open(
      at: path,
      initialState: OtherState(),
      database: \.db,
      configuration: configuration,
      with: [.migrations([])]
    )
    #expect(kept.report.unknownTables == ["notes", "tags"])
    #expect(kept.report.newTables == ["memos"])
    try await kept.close()
  }

  @Test
  func `a snapshot from before a migration stays refused when the migration's delta is gone`()
    async throws
  {
    typealias Price = LostLedgerTests.Price
    typealias Prices = LostLedgerTests.Prices
    typealias Shop = LostLedgerTests.Shop
    func open(_ migrations: [DataMigration]) async throws -> Persistence<Shop, Prices> {
      try await Persistence.open(
        at: path,
        initialState: Shop(),
        database: \.db,
        with: [.migrations(migrations)]
      )
    }
    let euros = try await open([])
    let store = Store<Shop, Never>(euros)
    store.commit { $0.db.prices.insert(Price(id: "tea", amount: 5)) }
    try await euros.snapshot(named: "old")
    try await euros.close()
    let cents = DataMigration("0001_cents") { tables in
      try tables.forEach(in: "prices") { price in
        price["amount"] = .integer((try price.value(Int.self, of: "amount") ?? 0) * 100)
      }
    }
    let persistence = try await open([cents])
    let later = Store<Shop, Never>(persistence)
    later.commit { $0.db.prices.insert(Price(id: "cake", amount: 350)) }
    _ = try await persistence.compact()
    // The next delta that is left is none of the migration.
    later.commit { $0.db.prices.insert(Price(id: "milk", amount: 120)) }
    let revision = persistence.revision
    for attempt in [0, 1] {
      let error = await #expect(throws: PersistenceError.self) {
        if attempt == 0 { _ = try await persistence.state(at: .snapshot("old")) }
        if attempt == 1 { try await persistence.revert(to: .snapshot("old")) }
      }
      #expect(error?.reason == .beforeMigration("0001_cents"))
    }
    #expect(persistence.revision == revision)
    #expect(later.state.db.prices["tea"]?.amount == 500)
    try await persistence.close()
  }

  @Test
  func `an older build opens what it can decode, and what it writes is brought up`() async throws {
    try await FiveReleases.makeFirst(at: path)
    let list = [
      DataMigration("0001_mark", table: "users") { user in
        user["name"] = user["name"]?.text.map { .string("\($0)!") }
      }
    ]
    let newer = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations(list)]
    )
    try await newer.close()
    // The release before knows no migration.
    let older = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<FiveReleases.First.State, Never>(older)
    store.commit { state in
      state.db.users.insert(
        FiveReleases.First.User(id: "late", name: "late", street: nil, city: nil)
      )
      state.db.users.insert(
        FiveReleases.First.User(id: "gone", name: "gone", street: nil, city: nil)
      )
      state.db.tags.insert(FiveReleases.First.Tag(id: "new"))
    }
    store.commit { $0.db.users.remove("gone") }
    _ = try await older.compact()
    try await older.close()

    let migrator = DataMigrator(list, at: path)
    #expect(try await migrator.status().stragglers == ["users": 2, "tags": 1])
    let again = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations(list)]
    )
    #expect(again.initialState.db.users["late"]?.name == "late!")
    #expect(again.initialState.db.users["u1"]?.name == "User 1!")
    #expect(again.initialState.db.users["gone"] == nil)
    let step = try #require(again.report.migrations?.steps.first)
    #expect(step.isForStragglers && step.tables.map(\.updated) == [1])
    try await again.close()
    #expect(try await migrator.status().stragglers == [:])
    #expect(try await migrator.up().steps.isEmpty)
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `records of an older build are changed after a backup, and not where the policy refuses`()
    async throws
  {
    try await FiveReleases.makeFirst(at: path)
    let list = [
      DataMigration("0001_mark", table: "users") { user in
        user["name"] = user["name"]?.text.map { .string("\($0)!") }
      }
    ]
    try await DataMigrator(list, at: path).up()
    func open(
      _ migrations: [DataMigration],
      _ policy: MigrationConfiguration.Policy = .automatic
    ) async throws(PersistenceError) -> Persistence<
      FiveReleases.First.State, FiveReleases.First.Database
    > {
      return try await Persistence.open(
        at: path,
        initialState: FiveReleases.First.State(),
        database: \.db,
        with: [.migrations(migrations, MigrationConfiguration(policy: policy))]
      )
    }
    // An older build that writes nothing leaves nothing to do.
    try await open([]).close()
    let unchanged = try await open(list, .refuseIfPending)
    #expect(unchanged.report.migrations?.backup == nil)
    try await unchanged.close()
    let older = try await open([])
    let store = Store<FiveReleases.First.State, Never>(older)
    store.commit { state in
      state.db.users.insert(
        FiveReleases.First.User(id: "late", name: "late", street: nil, city: nil)
      )
    }
    try await older.close()
    let before = try StoreBytes(path)
    let refused = await #expect(throws: PersistenceError.self) {
      try await open(list, .refuseIfPending)
    }
    #expect(refused?.reason == .dataMigration(.pending(["0001_mark"])))
    #expect(try StoreBytes(path) == before)
    let newer = try await open(list)
    #expect(newer.initialState.db.users["late"]?.name == "late!")
    let backup = try #require(newer.report.migrations?.backup)
    let saved = try Inspector(path: backup).show(table: "users", id: "late")
    #expect(saved[0].value["name"] == .string("late"))
    try await newer.close()
  }

  @Test
  func `records of an older build that a migration cannot take one by one are refused`()
    async throws
  {
    try await FiveReleases.makeFirst(at: path)
    let list = [
      DataMigration("0001_all") { tables in
        try tables.forEach(in: "users") { $0["age"] = .integer(1) }
      }
    ]
    try await DataMigrator(list, at: path).up()
    let older = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<FiveReleases.First.State, Never>(older)
    store.commit { $0.db.tags.insert(FiveReleases.First.Tag(id: "new")) }
    try await older.close()
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator(list, at: path).up()
    }
    #expect(error?.reason == .dataMigration(.stragglers("0001_all", tables: ["tags": 1])))
  }
}
