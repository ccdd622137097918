import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Files whose disk has lost what migrations have written besides the records.
struct LostLedgerTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  struct Price: EntityType {
    static let tableName: TableName = "prices"
    let id: EntityID<Price>
    var amount: Int
  }

  struct Prices: DatabaseType {
    var prices = EntityTable<Price>()
    static let schema = DatabaseSchema<Prices> { Entities(\.prices) }
  }

  struct Shop: StateType { var db = Prices() }

  private static func times(_ factor: Int, _ name: String) -> DataMigration {
    DataMigration(name, table: "prices") { price in
      price["amount"] = .integer((try price.value(Int.self, of: "amount") ?? 0) * factor)
    }
  }

  private let migrations = [times(100, "0001_cents"), times(10, "0002_mills")]

  private func open(
    _ migrations: [DataMigration],
    _ restore: RestorePolicy = .strict,
    on disk: FaultVFS? = nil
  ) async throws -> Persistence<Shop, Prices> {
    var configuration = PersistenceConfiguration(restore: restore)
    configuration.vfs = disk?.name
    configuration.watch = disk?.watch
    return try await Persistence.open(
      at: path,
      initialState: Shop(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(migrations)]
    )
  }

  /// A store with a price of 5 that no migration has seen.
  private func make() async throws {
    let persistence = try await open([])
    Store<Shop, Never>(persistence).commit { $0.db.prices.insert(Price(id: "tea", amount: 5)) }
    try await persistence.close()
  }

  /// Overwrites the page of a table, so that it cannot be read.
  private func spoil(_ table: String) throws {
    let connection = try Connection(path: path, mode: .readOnly)
    let root = try connection.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = ?",
      [.text(table)]
    ) { try $0.int(0) }
    try connection.close()
    var contents = try Data(contentsOf: URL(fileURLWithPath: path))
    let start = (Int(try #require(root)) - 1) * 4096
    contents.replaceSubrange(start..<start + 4096, with: Data(repeating: 0xA5, count: 4096))
    try contents.write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: [DiskLie.misdirectsWrites, .losesWrites], 1...8)
  func `a backup that the disk did not keep is made again`(_ lie: DiskLie, _ number: Int)
    async throws
  {
    try await make()
    let disk = try FaultVFS(name: "copying-\(UUID().uuidString)")
    disk.lie(lie, in: .database, every: number, times: .once)
    let persistence = try await open(migrations, .bestEffort, on: disk)
    let report = persistence.report
    #expect(report.loss == nil)
    #expect(persistence.initialState.db.prices["tea"]?.amount == 5_000)
    let backup = try #require(report.migrations?.backup)
    try await persistence.close()
    #expect(try Inspector(path: backup).verify().isSound)
    #expect(try Quarantine.all(besideStoreAt: path).isEmpty)
  }

  @Test(arguments: ["", "AND version = 2", "AND version = 1"])
  func `a migration whose row was lost does not run again`(_ condition: String) async throws {
    try await make()
    try await open(migrations).close()
    try RawSQLite.run("DELETE FROM migration WHERE kind = 1 \(condition)", on: path)
    #expect(try !Inspector(path: path).verify().isSound)
    let before = try StoreBytes(path)
    let refusal = await #expect(throws: PersistenceError.self) { try await open(migrations) }
    #expect(refusal?.reason.damage?.contains("and the list of migrations lacks it") == true)
    #expect(try StoreBytes(path) == before)

    for policy in [RestorePolicy.bestEffort, .strict] {
      let persistence = try await open(migrations, policy)
      #expect(persistence.initialState.db.prices["tea"]?.amount == 5_000)
      #expect(persistence.report.loss?.revisions == nil)
      #expect((persistence.report.loss != nil) == (policy == .bestEffort))
      try await persistence.close()
    }
    #expect(try Inspector(path: path).verify().isSound)
    let status = try await DataMigrator(migrations, at: path).status()
    #expect(status.entries.map(\.state) == [.applied, .applied])
    #expect(status.entries.map(\.name) == migrations.map(\.name))
  }

  @Test
  func `what ran is known by the deltas where the rows cannot be read`() async throws {
    try await make()
    try await open(migrations).close()
    try spoil("migration")
    let persistence = try await open(migrations, .bestEffort)
    #expect(persistence.initialState.db.prices["tea"]?.amount == 5_000)
    #expect(persistence.report.loss?.revisions == nil)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `no migration runs on a file that does not say which ones ran`() async throws {
    try await make()
    let migrated = try await open(migrations)
    _ = try await migrated.compact()
    try await migrated.close()
    try spoil("migration")
    let before = try StoreBytes(path)
    for policy in [RestorePolicy.strict, .bestEffort] {
      let refusal = await #expect(throws: PersistenceError.self) {
        try await open(migrations, policy)
      }
      #expect(refusal?.reason.damage != nil)
      if policy == .bestEffort { #expect(refusal?.description.contains("baseline(at:)") == true) }
      #expect(try StoreBytes(path) == before)
    }
    // A program without migrations changes nothing of the records. Then a person says which ones ran.
    let without = try await open([], .bestEffort)
    #expect(without.initialState.db.prices["tea"]?.amount == 5_000)
    try await without.close()
    _ = try await DataMigrator(migrations, at: path).baseline(at: 2)
    let persistence = try await open(migrations)
    #expect(persistence.report.migrations == nil)
    #expect(persistence.initialState.db.prices["tea"]?.amount == 5_000)
    try await persistence.close()
  }
}
