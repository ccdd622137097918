import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataSQL
import StrataScripts
import StrataStorage
import TestSupport
import Testing

/// Steps that bring up what older builds have written since a step that cannot run on single records.
struct BringingUpTests {
  private typealias First = FiveReleases.First

  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 2)
  }

  /// How the step is written that brings records up.
  enum Form: CaseIterable {
    case sql, perRecord, tables

    /// The step 3, which does for single records what step 1 did for all.
    fileprivate func step() throws -> DataMigration {
      switch self {
      case .sql:
        try DataMigration(
          "0003_late",
          sql: """
            -- strata:brings-up V0001_all
            -- strata:before SELECT count(*) BETWEEN 1 AND 2 FROM users WHERE name NOT LIKE '1%'
            -- strata:after SELECT count(*) BETWEEN 1 AND 2 FROM users
            UPDATE users SET name = '1 ' || name
            """
        )
      case .perRecord:
        DataMigration("0003_late", table: "users") { user in
          user["name"] = .string("1 \(user["name"]?.text ?? "")")
        }.bringingUp("0001_all")
      case .tables:
        DataMigration("0003_late") { tables in
          for table in tables.names where table == "users" {
            try tables.forEach(in: table) {
              $0["name"] = .string("1 \($0["name"]?.text ?? "")")
            }
          }
        }.bringingUp("0001_all")
      }
    }
  }

  /// Step 1 puts "1 " before each name, and step 2 adds " 2": a name says what ran on its record, in which order.
  private static func released() throws -> [DataMigration] {
    [
      try DataMigration("V0001_all", sql: "UPDATE users SET name = '1 ' || name"),
      DataMigration("0002_add", table: "users") { user in
        user["name"] = .string("\(user["name"]?.text ?? "") 2")
      }.reversed(table: "users") { user in
        user["name"] = .string(String(user["name"]?.text?.dropLast(2) ?? ""))
      },
    ]
  }

  private func open(
    _ migrations: [DataMigration],
    _ policy: MigrationConfiguration.Policy = .automatic
  ) async throws -> Persistence<First.State, First.Database> {
    return try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      with: [.migrations(migrations, MigrationConfiguration(policy: policy))]
    )
  }

  /// What a build writes that knows these steps.
  private func write(knowing migrations: [DataMigration], _ users: [String: String]) async throws {
    let persistence = try await open(migrations)
    let store = Store<First.State, Never>(persistence)
    store.commit { state in
      for (id, name) in users {
        state.db.users.insert(First.User(id: EntityID(id), name: name, street: nil, city: nil))
      }
    }
    try await persistence.close()
  }

  private func names() throws -> [String: String] { try FiveReleases.names(at: path) }

  private func error(_ body: () async throws -> Void) async throws -> DataMigrationError? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      guard let error = error.dataMigration else { throw error }
      return error
    }
  }

  @Test(arguments: Form.allCases)
  func `a later step runs on just what older builds have written, in the place of another`(
    _ form: Form
  ) async throws {
    let released = try Self.released()
    let all = released + [try form.step()]
    try await DataMigrator(released, at: path).up()
    try await write(knowing: [], ["a": "a"])
    try await write(knowing: Array(released.prefix(1)), ["b": "1 b"])
    let refusal = try await error { try await DataMigrator(released, at: path).up() }
    #expect(refusal == .stragglers("0001_all", tables: ["users": 1]))
    #expect(refusal?.remedy.contains("-- strata:brings-up 0001_all") == true)
    #expect(refusal?.remedy.contains(#".bringingUp("0001_all")"#) == true)

    let migrator = DataMigrator(all, at: path)
    let planned = try await migrator.plan()
    let report = try await migrator.up()
    #expect(report.steps.map(\.withoutTime) == planned.steps.map(\.withoutTime))
    #expect(report.steps.map(\.number) == [3, 2])
    #expect(report.steps.map(\.isForStragglers) == [true, true])
    #expect(report.steps.map { $0.tables.map(\.updated) } == [[1], [2]])
    #expect(report.backup != nil)
    #expect(
      try names() == [
        "u1": "1 User 1 2", "u2": "1 User 2 2", "a": "1 a 2", "b": "1 b 2",
      ]
    )
    let status = try await migrator.verify()
    #expect(status.pending == [])
    #expect(status.stragglers == [:])
    #expect(status.entries.map(\.state) == [.applied, .applied, .applied])
    #expect(try await migrator.up().steps.isEmpty)
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test(arguments: Form.allCases)
  func `it brings up what older builds write after it has run, also when the store is opened`(
    _ form: Form
  ) async throws {
    let all = try Self.released() + [try form.step()]
    try await DataMigrator(all, at: path).up()
    try await write(knowing: [], ["a": "a"])
    #expect(
      try await error { _ = try await open(all, .refuseIfPending) }
        == .pending(["0003_late", "0002_add"])
    )
    let persistence = try await open(all)
    #expect(persistence.report.migrations?.steps.map(\.number) == [3, 2])
    #expect(persistence.initialState.db.users["a"]?.name == "1 a 2")
    try await persistence.close()
    // This build lacks only the step itself: its records have the new shape.
    try await write(knowing: Array(all.prefix(2)), ["b": "1 b 2"])
    #expect(try await DataMigrator(all, at: path).up().steps.isEmpty)
    #expect(try names()["b"] == "1 b 2")
  }

  @Test(arguments: Form.allCases)
  func `without an older build it is noted and does not run`(_ form: Form) async throws {
    let all = try Self.released() + [try form.step()]
    let migrator = DataMigrator(all, at: path)
    let report = try await migrator.up()
    #expect(report.steps.map(\.number) == [1, 2, 3])
    #expect(report.steps.map(\.isForStragglers) == [false, false, false])
    #expect(report.steps[2].tables == [])
    #expect(report.steps[2].findings == [])
    #expect(report.steps[2].revision == nil)
    #expect(try names() == ["u1": "1 User 1 2", "u2": "1 User 2 2"])
    #expect(try await migrator.status().entries.map(\.isReversible) == [false, true, true])
    #expect(try await migrator.down(to: 1).steps.map(\.number) == [3, 2])
    #expect(try names() == ["u1": "1 User 1", "u2": "1 User 2"])
    #expect(try await migrator.status().pending == ["0002_add", "0003_late"])
    _ = try await migrator.test()
  }

  @Test func `a way back first brings records up`() async throws {
    let all = try Self.released() + [try Form.sql.step()]
    try await DataMigrator(all, at: path).up()
    try await write(knowing: [], ["a": "a"])
    let report = try await DataMigrator(all, at: path).down(to: 1)
    #expect(report.steps.map(\.number) == [3, 2, 3, 2])
    #expect(report.steps.map(\.isForStragglers) == [true, true, false, false])
    #expect(try names() == ["u1": "1 User 1", "u2": "1 User 2", "a": "1 a"])
  }

  @Test func `a store is not reverted to records that it has brought up`() async throws {
    let all = try Self.released() + [try Form.sql.step()]
    let migrator = DataMigrator(all, at: path)
    try await migrator.up()
    let before = try await migrator.status().revision
    try await write(knowing: [], ["a": "a"])
    let among = try await migrator.status().revision
    try await migrator.up()
    let unknown = await #expect(throws: PersistenceError.self) {
      try await migrator.revert(to: among)
    }
    #expect(
      unknown?.reason
        == .ledgerUnknown(among, since: "migration 0003_late, on records of an older build")
    )
    try await migrator.revert(to: before)
    #expect(try names() == ["u1": "1 User 1 2", "u2": "1 User 2 2"])
  }

  @Test func `a step that brings up for no earlier one is refused`() async throws {
    let released = try Self.released()
    for (list, step) in [
      (released + [DataMigration("0003_late") { _ in }.bringingUp("0001_other")], "0001_other"),
      ([released[0], DataMigration("0002_a") { _ in }.bringingUp("0003_b")], "0003_b"),
    ] {
      let migrator = DataMigrator(list, at: path)
      let name = list.last?.name ?? ""
      #expect(
        try await error { try await migrator.up() } == .unknownStep(step, broughtUpBy: name)
      )
    }
    // The list is shortened: what the step stood for is part of the squashed migration.
    let squashed = [
      DataMigration("0002_squashed", replacing: 1...2),
      try DataMigration("0003_late", sql: "-- strata:brings-up 0002_squashed\nSELECT 1"),
      DataMigration("0004_later") { _ in }.bringingUp("0001_all"),
    ]
    try await DataMigrator(released, at: path).up()
    #expect(try await DataMigrator(squashed, at: path).up().steps.map(\.number) == [3, 4])
    try await write(knowing: [], ["a": "a"])
    #expect(try await DataMigrator(squashed, at: path).up().steps.map(\.number) == [3])
  }

  @Test func `what a comment cannot say is refused with its line`() throws {
    for (sql, down, detail) in [
      ("SELECT 1\n-- strata:brings-up", nil, "write the name of an earlier migration"),
      ("SELECT 1\n-- strata:brings-up first", nil, "write the name of an earlier migration"),
      ("-- strata:brings-up 0001_a\nSELECT 1", "SELECT 1", "nothing to take back"),
      ("SELECT 1", "-- strata:brings-up 0001_a\nSELECT 1", "stands for no other"),
      ("-- strata:replaces 1...3\n-- strata:brings-up 0001_a", nil, "brings up no records"),
    ] as [(String, String?, String)] {
      let error = #expect(throws: SQLMigrationError.self) {
        try DataMigration("0003_late", sql: sql, down: down)
      }
      #expect(error?.description.contains(detail) == true, "\(String(describing: error))")
    }
    let step = try DataMigration("0004_late", sql: "-- strata:brings-up 0001_a, V0002_b\nSELECT 1")
    #expect(step.bringsUp == ["0001_a", "0002_b"])
  }
}
