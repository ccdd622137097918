import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import TestSupport
import Testing

/// Migrations of values that are stored beside the database.
struct PersistedValueMigrationTests {
  /// The settings of the first build and of the second one.
  private struct First: StateType {
    struct Settings: Codable, Equatable, Sendable {
      var unit = "miles"
      var colour = "red"
      var since = Date(timeIntervalSince1970: 1_700_000_000.123_456)
      var price = Decimal(string: "12345678901234567890.123456789") ?? 0
      var limits = ["a": 1, "b": 2]
      var note: String?
    }

    var db = FiveReleases.First.Database()
    var settings = Settings()
    var volume = 3
    var account: String?
  }

  private struct Second: StateType {
    struct Settings: Codable, Equatable, Sendable {
      var unit = "initial"
      var color = "initial"
      var since = Date(timeIntervalSince1970: 0)
      var price = Decimal(0)
      var limits: [String: Int] = [:]
      var note: String?
      var days = 7
    }

    var db = FiveReleases.First.Database()
    var settings = Settings()
    var volume = 0
    var account: String?
  }

  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 2)
    try await Persistence.open(
      at: path,
      initialState: First(),
      database: \.db,
      values: [
        PersistedValue("settings", \.settings), PersistedValue("volume", \.volume),
        PersistedValue("account", \.account),
      ],
      with: [.migrations([])]
    ).close()
  }

  private func open(_ migrations: [DataMigration]) async throws -> Second {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Second(),
      database: \.db,
      values: [
        PersistedValue("settings", \.settings), PersistedValue("volume", \.volume),
        PersistedValue("account", \.account),
      ],
      with: [.migrations(migrations)]
    )
    try await persistence.close()
    return persistence.initialState
  }

  private static let expected = Second.Settings(
    unit: "km",
    color: "red",
    since: First.Settings().since,
    price: First.Settings().price,
    limits: ["a": 1, "b": 2],
    note: nil,
    days: 7
  )

  private static let inSwift = [
    DataMigration("0001_units", value: "settings") { settings in
      settings.rename("colour", to: "color")
      settings["unit"] = .string("km")
    }
    .reversed(value: "settings") { settings in
      settings.rename("color", to: "colour")
      settings["unit"] = .string("miles")
    },
    DataMigration("0002_volume", value: "volume") { volume in
      volume["value"] = .integer(Int(volume["value"]?.integer ?? 0) * 10)
    }
    .reversed(value: "volume") { volume in
      volume["value"] = .integer(Int(volume["value"]?.integer ?? 0) / 10)
    },
    // It is nil, so nothing is called for it.
    DataMigration("0003_account", value: "account") { account in
      account["value"] = .string("never")
    }
    .reversed(value: "account") { _ in },
  ]

  private func stored() throws -> [String: String] {
    var stored: [String: String] = [:]
    for name in ["settings", "volume", "account"] {
      stored[name] = try Inspector(path: path).show(table: "value:\(name)").map { "\($0.value)" }
        .joined()
    }
    return stored
  }

  @Test
  func `a step in Swift gets the fields of a value, and is taken back`() async throws {
    let before = try stored()
    let migrator = DataMigrator(Self.inSwift, at: path)
    let report = try await migrator.up()
    #expect(report.refusals.isEmpty)
    try await migrator.down(to: 0)
    #expect(try stored() == before)
    let state = try await open(Self.inSwift)
    #expect(state.settings == Self.expected)
    #expect(state.volume == 30)
    #expect(state.account == nil)
    #expect(state.db.users.count == 2)
  }

  @Test
  func `a script changes a value as a table with one row`() async throws {
    let script = try DataMigration(
      "0001_units",
      sql: """
        UPDATE "value:settings" SET value =
          json_set(json_remove(value, '$.colour'), '$.color', value ->> '$.colour', '$.unit', 'km');
        UPDATE "value:volume" SET value = value * 10;
        """
    )
    let state = try await open([script])
    #expect(state.settings == Self.expected)
    #expect(state.volume == 30)
    #expect(state.account == nil)
  }

  @Test(
    arguments: [
      ("$.since", "5", "value.since is no TIMESTAMP"),
      ("$.price", "'much'", "value.price is no DECIMAL"),
      ("$.unit", "7", "value.unit is no TEXT"),
    ]
  )
  func `a part of JSON that does not fit is named with its table and record`(
    _ place: String,
    _ value: String,
    _ detail: String
  ) async throws {
    let sql = "UPDATE \"value:settings\" SET value = json_set(value, '\(place)', \(value))"
    let migrator = DataMigrator([try DataMigration("0001_wrong", sql: sql)], at: path)
    let error = await #expect(throws: PersistenceError.self) { try await migrator.up() }
    guard case .failed("0001_wrong", let text)? = error?.dataMigration else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(text.hasPrefix("value:settings value: the value of \(detail); convert it"))
  }

  @Test
  func `a value has another name, leaves the file, and lends a field to a table`() async throws {
    let steps = [
      DataMigration("0001_name", .rename("value:volume", to: "value:loudness")),
      DataMigration("0002_moved") { tables in
        var unit: RecordValue?
        try tables.changeValue("settings") { settings in
          unit = settings["unit"]
          settings.removeRecord()
        }
        try tables.forEach(in: "users") { $0["city"] = unit }
      }.allowing(.destructive("value:settings")),
    ]
    let report = try await DataMigrator(steps, at: path).up()
    #expect(report.refusals.isEmpty)
    let state = try await open(steps)
    #expect(state.settings == Second.Settings())
    #expect(state.volume == 0)
    #expect(state.db.users.map(\.city) == ["miles", "miles"])
    #expect(try Inspector(path: path).show(table: "value:loudness").map(\.value) == [.integer(3)])
  }
}
