import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
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
  func `records that are removed and put again under other IDs take no field with them`()
    async throws
  {
    let again = DataMigration("0001_again", table: "users") { user, tables in
      let id = RecordValue.string("new-\(user.id.text ?? "")")
      var copy = MigrationRecord(table: "users", id: id, [.init("id", id)])
      copy["name"] = user["name"]
      copy["street"] = user["street"]
      try tables.put(copy)
      user.removeRecord()
    }
    #expect(
      try await losses(of: again)
        == ["destructive(users.city): users.city loses 2 values, all it has"]
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
    let counts = step.tables.filter { $0.table != "notes" }.map {
      "\($0.table) +\($0.inserted) -\($0.deleted) \($0.before)→\($0.after)"
    }
    #expect(counts == ["people +5 -0 0→5", "users +0 -5 5→0"])
  }
}
