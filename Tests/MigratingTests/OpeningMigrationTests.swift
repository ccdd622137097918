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
    // Its policy is .automatic already: what it lacks is an opening for writing.
    #expect(refused?.description.contains("open the store for writing") == true)
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
    let old = euros.revision
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
      #expect(error?.reason == .beforeMigration("0001_cents", old))
    }
    #expect(persistence.revision == revision)
    #expect(later.state.db.prices["tea"]?.amount == 500)
    try await persistence.close()
  }
}
