import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// What a run finds lost, by comparing the records that a step has left with what was there.
struct MigrationLossTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
  }

  private func plan(_ migration: DataMigration) async throws -> MigrationReport.Step {
    try #require(try await DataMigrator([migration], at: path).plan().steps.first)
  }

  /// The findings without those of references.
  private func losses(of migration: DataMigration) async throws -> [String] {
    try await plan(migration).findings.filter { $0.kind != .dangling }.map(\.description)
  }

  @Test
  func `a record with another ID is compared with what it was`() async throws {
    let move = DataMigration("0001_move", table: "users") { user in
      user.id = .string("x-\(user.id.text ?? "")")
      user.remove("city")
    }
    let step = try await plan(move)
    let users = try #require(step.tables.first { $0.table == "users" })
    #expect(users.idsChanged == 5 && users.updated == 0 && users.valuesLost == ["city": 2])
    #expect(
      try await losses(of: move)
        == ["destructive(users.city): users.city loses 2 values, all it has"]
    )
  }

  @Test
  func `a record that moves twice is one record, and is compared with what it was`() async throws {
    let twice = DataMigration("0001_twice") { tables in
      try tables.forEach(in: "users") { $0.id = .string("v\($0.id.text ?? "")") }
      try tables.forEach(in: "users") { user in
        user.id = .string("w\(user.id.text ?? "")")
        user.remove("street")
      }
    }.allowing(.dangling("notes"), .destructive("users.street"))
    let report = try await DataMigrator([twice], at: path).up()
    let users = try #require(report.steps[0].tables.first { $0.table == "users" })
    #expect(users.idsChanged == 5 && users.inserted == 0 && users.deleted == 0)
    #expect(users.valuesLost == ["street": 4])
    let ids = try Inspector(path: path).show(table: "users").map { $0.id?.text ?? "" }
    #expect(ids.sorted() == (1...5).map { "wvu\($0)" })
  }

  @Test
  func `a record that moves before all IDs change is one record, compared with what it was`()
    async throws
  {
    let both = DataMigration("0001_both") { tables in
      try tables.forEach(in: "users") { user in
        if user.id.text == "u1" { user.id = .string("v1") }
        user.remove("street")
      }
      try tables.changeID(of: "users") { .string("w\($0.id.text ?? "")") }
    }.allowing(.dangling("notes"), .destructive("users.street"))
    let report = try await DataMigrator([both], at: path).up()
    let users = try #require(report.steps[0].tables.first { $0.table == "users" })
    #expect(users.idsChanged == 5 && users.inserted == 0 && users.deleted == 0)
    #expect(users.valuesLost == ["street": 4])
    let ids = try Inspector(path: path).show(table: "users").map { $0.id?.text ?? "" }
    #expect(ids.sorted() == ["wu2", "wu3", "wu4", "wu5", "wv1"])
  }

  @Test
  func `a record that moves away and back is where it was`() async throws {
    let before = try FiveReleases.contents(of: path)
    let back = DataMigration("0001_back") { tables in
      try tables.forEach(in: "users") { $0.id = .string("v\($0.id.text ?? "")") }
      try tables.forEach(in: "users") { $0.id = .string(String($0.id.text?.dropFirst() ?? "")) }
    }
    let report = try await DataMigrator([back], at: path).up()
    #expect(try FiveReleases.contents(of: path) == before)
    let users = try #require(report.steps[0].tables.first { $0.table == "users" })
    #expect(users.idsChanged == 0 && users.inserted == 0 && users.deleted == 0)
    #expect(report.steps[0].findings == [])
  }

  @Test
  func `a record is never moved onto one that was not visited yet`() async throws {
    let before = try FiveReleases.contents(of: path)
    let shift = DataMigration("0001_shift", table: "users") { user in
      user.id = .string("u\((Int(user.id.text?.dropFirst() ?? "") ?? 0) + 1)")
    }.allowing(.dangling("notes"))
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator([shift], at: path).up()
    }
    #expect(
      error?.reason
        == .dataMigration(
          .failed("0001_shift", detail: "two records of users would have the ID u2")
        )
    )
    #expect(try FiveReleases.contents(of: path) == before)
    let downwards = DataMigration("0001_shift", table: "users") { user in
      user.id = .string("u\((Int(user.id.text?.dropFirst() ?? "") ?? 0) - 1)")
    }.allowing(.dangling("notes"))
    let report = try await DataMigrator([downwards], at: path).up()
    #expect(report.steps.first?.tables.first { $0.table == "users" }?.idsChanged == 5)
    let names = try Inspector(path: path).show(table: "users").map { $0.value["name"]?.text ?? "" }
    #expect(names.sorted() == (1...5).map { "User \($0)" })
  }

  @Test
  func `a field that has another name is not lost, unless its value is`() async throws {
    let rename = DataMigration("0001_rename", table: "users") { user in
      user.rename("city", to: "place")
      user.rename("place", to: "town")
      user["town"] = user["town"]?.text.map { .string($0.uppercased()) }
    }
    let step = try await plan(rename)
    #expect(step.findings == [])
    #expect(step.tables.first?.valuesLost == [:])
    let removed = DataMigration("0001_removed", table: "users") { user in
      user.rename("city", to: "town")
      if user.id == .string("u2") { user.remove("town") }
    }
    #expect(try await losses(of: removed) == ["lossy(users.city): users.city loses 1 value"])
    let all = DataMigration("0001_all", table: "users") { user in
      user.rename("city", to: "town")
      user.remove("town")
    }
    #expect(
      try await losses(of: all)
        == ["destructive(users.city): users.city loses 2 values, all it has"]
    )
  }

  @Test
  func `a name that another record's field has now excuses no removal`() async throws {
    // Every user has a name, so it does not show where a street has gone.
    let some = DataMigration("0001_some", table: "users") { user in
      if user.id == .string("u1") {
        user.rename("street", to: "name")
      } else {
        user.remove("street")
      }
    }
    #expect(try await losses(of: some) == ["lossy(users.street): users.street loses 3 values"])
  }

  @Test
  func `records that are removed and put again under other IDs are lost`() async throws {
    let again = DataMigration("0001_again", table: "users") { user, tables in
      let id = RecordValue.string("new-\(user.id.text ?? "")")
      var copy = MigrationRecord(table: "users", id: id, [.init("id", id)])
      copy["name"] = user["name"]
      copy["street"] = user["street"]
      try tables.put(copy)
      user.removeRecord()
    }
    #expect(
      try await losses(of: again) == ["deletes(users): users loses 5 records, all it has"]
    )
  }

  @Test
  func `two changes of one declaration are compared with what was there`() async throws {
    let both = DataMigration(
      "0001_both",
      .changeID(of: "users") { .string("u\((Int($0.id.text?.dropFirst() ?? "") ?? 0) + 1)") },
      .rename("users", to: "people"),
      .renameField("city", to: "town", in: "people")
    )
    let step = try await plan(both)
    #expect(step.findings.filter(\.isRefused) == [])
    #expect(step.tables.first { $0.table == "people" }?.valuesLost == [:])
    let table = try #require(step.tables.first { $0.table != "notes" })
    #expect(table.description == "users: renamed to people, 5 with another ID; 5 in all")
    #expect(step.tables.map(\.table) == ["notes", "people"])
  }
}

/// Records that have other IDs.
extension MigrationLossTests {
  @Test
  func `a change of IDs overwrites neither the moved records nor what refers to them`() async throws
  {
    for prefix in ["u", "x"] {
      let shift = DataMigration(
        "0001_shift",
        .changeID(of: "users") {
          .string("\(prefix)\((Int($0.id.text?.dropFirst() ?? "") ?? 0) + 1)")
        }
      )
      #expect(try await plan(shift).findings == [])
    }
  }
}

/// Records that are removed, and the way back.
extension MigrationLossTests {
  private static let removal = DataMigration("0001_remove", table: "users") { user in
    if user.id != .string("u1") { user.removeRecord() }
  }.allowing(.dangling("notes"))

  @Test
  func `records that a step removes are counted, and need a permission`() async throws {
    let step = try await plan(Self.removal)
    let finding = try #require(step.findings.first { $0.kind == .deletes })
    #expect(finding.description == "deletes(users): users loses 4 of its 5 records")
    #expect(finding.permission == #".allowing(.deletes("users"))"#)
    let before = try FiveReleases.contents(of: path)
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator([Self.removal], at: path).up()
    }
    #expect(error?.reason == .dataMigration(.refused(["0001_remove": [finding]])))
    #expect(try FiveReleases.contents(of: path) == before)
    let allowed = Self.removal.allowing(.deletes("users"))
    let report = try await DataMigrator([allowed], at: path).up()
    #expect(report.steps[0].tables.first { $0.table == "users" }?.deleted == 4)
  }

  @Test
  func `a record that is removed is lost, also if another table has its values`() async throws {
    let move = DataMigration("0001_move", table: "users") { user, tables in
      guard user.id != .string("u1") else { return }
      try tables.put(MigrationRecord(table: "former", id: user.id, user.members))
      user.removeRecord()
    }.allowing(.dangling("notes"))
    let step = try await plan(move)
    #expect(
      step.findings.filter(\.isRefused).map(\.description)
        == ["deletes(users): users loses 4 of its 5 records"]
    )
    #expect(step.tables.first { $0.table == "former" }?.inserted == 4)
  }

  @Test
  func `the way back has the same findings and permissions`() async throws {
    let step = DataMigration("0001_age", table: "users") { $0["age"] = .integer(18) }
      .reversed(table: "users") { $0.remove("age") }
    let migrator = DataMigrator([step], at: path)
    try await migrator.up()
    let before = try FiveReleases.contents(of: path)
    let planned = try await migrator.plan(.down)
    #expect(planned.direction == .down)
    #expect(
      planned.steps[0].findings.map(\.description)
        == ["destructive(users.age): users.age loses 5 values, all it has"]
    )
    let error = await #expect(throws: PersistenceError.self) { try await migrator.down() }
    #expect(error?.reason == .dataMigration(.refused(planned.refusals)))
    #expect(try FiveReleases.contents(of: path) == before)
    let allowed = DataMigrator([step.allowing(.destructive("users.age"))], at: path)
    let report = try await allowed.down()
    #expect(report.steps[0].findings.map(\.isAllowed) == [true])
    #expect(try await allowed.history() == [])
  }

  @Test
  func `a test of migrations fails where a permission is missing, on either way`() async throws {
    let back = DataMigration("0001_age", table: "users") { $0["age"] = .integer(18) }
      .reversed(table: "users") { $0.remove("age") }
    let there = DataMigration("0002_street", table: "users") { $0.remove("street") }
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await DataMigrator([back, there], at: path).test()
    }
    guard case .refused(let findings)? = error?.dataMigration else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(
      findings.mapValues { $0.map(\.field) } == ["0001_age": ["age"], "0002_street": ["street"]]
    )
    let report = try await DataMigrator(
      [back.allowing(.destructive("users.age")), there.allowing(.destructive("users.street"))],
      at: path
    ).test()
    #expect(report.steps.count == 2)
  }
}
