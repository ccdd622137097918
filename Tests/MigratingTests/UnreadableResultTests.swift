import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataStorage
import TestSupport
import Testing

/// What an opening does with a result of migrations that its types cannot read.
struct UnreadableResultTests {
  private struct Price: EntityType {
    static let tableName: TableName = "prices"
    let id: EntityID<Price>
    var amount: Int
    var code: String

    static let byCode = UniqueIndex(\Price.code)
    static let indexes: EntityIndexes<Price> = [byCode]
  }

  private struct Label: EntityType {
    static let tableName: TableName = "labels"
    let id: EntityID<Label>
    var text: String
  }

  private struct Shop: StateType {
    struct Database: DatabaseType {
      var prices = EntityTable<Price>()
      var labels = EntityTable<Label>()
      static let schema = DatabaseSchema<Database> {
        Entities(\.prices)
        Entities(\.labels)
        Check("amount", \.prices) { $0.amount >= 0 }
      }
    }

    var db = Database()
  }

  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: Shop(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<Shop, Never>(persistence)
    store.commit { state in
      for number in 1...5 {
        state.db.prices.insert(
          Price(id: EntityID("p\(number)"), amount: number, code: "c\(number)")
        )
      }
      state.db.labels.insert(Label(id: "a", text: "new"))
    }
    try await persistence.close()
  }

  private func open(
    _ migrations: DataMigration...
  ) async throws -> Persistence<Shop, Shop.Database> {
    try await Persistence.open(
      at: path,
      initialState: Shop(),
      database: \.db,
      with: [.migrations(migrations)]
    )
  }

  private let double = DataMigration("0001_double", table: "prices") { price in
    price["amount"] = .integer((try price.value(Int.self, of: "amount") ?? 0) * 2)
  }

  /// Opens the store with migrations that are refused, and checks that none has had an effect.
  private func refusal(_ migrations: DataMigration...) async throws -> PersistenceError? {
    let before = (try FiveReleases.contents(of: path), try Inspector(path: path).info().revision)
    let error = await #expect(throws: PersistenceError.self) {
      try await Persistence.open(
        at: path,
        initialState: Shop(),
        database: \.db,
        with: [.migrations(migrations)]
      )
    }
    #expect(try FiveReleases.contents(of: path) == before.0)
    #expect(try Inspector(path: path).info().revision == before.1)
    #expect(try await DataMigrator(migrations, at: path).history().isEmpty)
    #expect(try Inspector(path: path).verify().isSound)
    return error
  }

  @Test
  func
    `a record that the build cannot decode undoes the run, and the step and the record are named`()
    async throws
  {
    let text = DataMigration("0002_text", table: "prices") { price in
      if price.id == .string("p4") { price["amount"] = .string("4 euros") }
    }
    let error = try await refusal(double, text)
    guard case .unreadable(["0002_text"], let detail)? = error?.dataMigration else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.hasPrefix("the record p4 of table prices cannot be decoded"))
    #expect(error?.description.contains("so the data is as it was") == true)
    // The way on: a correct step in its place.
    let persistence = try await open(double)
    #expect(persistence.initialState.db.prices["p4"]?.amount == 8)
    #expect(persistence.report.migrations?.isDecoded == true)
    try await persistence.close()
  }

  @Test
  func `a rule of the schema that the result breaks undoes the run`() async throws {
    let same = DataMigration("0001_same", table: "prices") { $0["code"] = .string("c") }
      .allowing(.lossy("prices.code"))
    let error = try await refusal(same)
    guard case .unreadable(["0001_same"], let detail)? = error?.dataMigration else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("breaks a rule of this build's schema"))
  }

  @Test
  func `a check that the result breaks undoes the run, and is named with the entity`() async throws
  {
    let refund = DataMigration("0001_refund", table: "prices") { price in
      if price.id == .string("p4") { price["amount"] = .integer(-4) }
    }
    let error = try await refusal(refund)
    guard case .unreadable(["0001_refund"], let detail)? = error?.dataMigration else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(detail.contains("the entity p4 in prices breaks the check \"amount\""))
  }

  @Test
  func `a table that a migration renames keeps the names of its rules`() async throws {
    let rename = DataMigration("0001_costs", .rename("prices", to: "costs"))
    try await DataMigrator([rename], at: path).up()
    let rules = try Inspector(path: path).rules(of: ["costs", "labels"])
    #expect(rules == ["amount (costs)", "code (costs)"])
  }

  @Test
  func `a record that no step has changed keeps its own error`() async throws {
    try await DataMigrator(
      [DataMigration("0001_number", table: "labels") { $0["text"] = .integer(1) }],
      at: path
    ).up()
    let before = try Inspector(path: path).info().revision
    let number = DataMigration("0001_number", table: "labels") { $0["text"] = .integer(1) }
    let twice = DataMigration("0002_double", table: "prices") { $0["amount"] = .integer(2) }
    let error = await #expect(throws: PersistenceError.self) { try await open(number, twice) }
    guard case .undecodable("labels", "a", _)? = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try Inspector(path: path).info().revision == before)
  }

  @Test
  func `what was read before the run took effect is what the store starts with`() async throws {
    let persistence = try await open(double)
    let store = Store<Shop, Never>(persistence)
    #expect(store.state.db.prices.map(\.amount).sorted() == [2, 4, 6, 8, 10])
    #expect(store.state.db.labels["a"]?.text == "new")
    #expect(persistence.report.revision == 2 && persistence.report.snapshotRevision == 2)
    #expect(persistence.report.replayedDeltas == 0 && persistence.report.entities == 6)
    store.commit { $0.db.prices.remove("p1") }
    try await persistence.close()
    let again = try await open(double)
    #expect(again.initialState.db == store.state.db)
    #expect(again.report.migrations == nil)
    try await again.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a runner without types says that the result was not decoded`() async throws {
    let report = try await DataMigrator([double], at: path).up()
    #expect(report.steps.count == 1 && !report.isDecoded)
  }
}
