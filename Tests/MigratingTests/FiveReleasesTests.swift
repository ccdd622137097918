import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import TestSupport
import Testing

/// A store through five releases of an app.
struct FiveReleasesTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func copy(_ path: String, to name: String) throws -> String {
    let copy = directory.path(name)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  @Test
  func `every path from an older release to a newer one leads to the same entities`()
    async throws
  {
    let migrations = FiveReleases.migrations
    let first = directory.path("0.strata")
    try await FiveReleases.makeFirst(at: first)
    var releases = [first]
    for number in 1...5 {
      let path = try copy(releases[number - 1], to: "\(number).strata")
      try await DataMigrator(migrations, at: path).up(to: number)
      releases.append(path)
    }
    for from in 0..<5 {
      for to in from + 1...5 {
        let path = try copy(releases[from], to: "\(from) to \(to).strata")
        let migrator = DataMigrator(migrations, at: path)
        let planned = try await migrator.plan(to: to)
        let report = try await migrator.up(to: to)
        #expect(report.steps.map(\.withoutTime) == planned.steps.map(\.withoutTime))
        #expect(report.steps.map(\.number) == Array(from + 1...to))
        #expect(try FiveReleases.contents(of: path) == FiveReleases.contents(of: releases[to]))
        let status = try await migrator.verify()
        #expect(status.pending == migrations.dropFirst(to).map(\.name))
        #expect(try Inspector(path: path).verify().isSound)
      }
    }
  }

  @Test
  func `a program of today opens a store of the first release`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.Last.State(),
      database: \.db,
      with: [.migrations(FiveReleases.migrations)]
    )
    #expect(persistence.initialState.db == FiveReleases.expected())
    #expect(persistence.report.migrations?.steps.count == 5)
    #expect(persistence.report.danglingReferences == [])
    try await persistence.close()
    let again = try await Persistence.open(
      at: path,
      initialState: FiveReleases.Last.State(),
      database: \.db,
      with: [.migrations(FiveReleases.migrations)]
    )
    #expect(again.initialState.db == FiveReleases.expected())
    #expect(again.report.migrations == nil)
    try await again.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `what is reversible goes down to what it was`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let before = try FiveReleases.contents(of: path)
    let migrator = DataMigrator(Array(FiveReleases.migrations.prefix(3)), at: path)
    try await migrator.up()
    #expect(try FiveReleases.contents(of: path) != before)
    let report = try await migrator.down(to: 0)
    #expect(report.steps.map(\.number) == [3, 2, 1])
    #expect(try FiveReleases.contents(of: path) == before)
    #expect(try await migrator.status().pending.count == 3)
    let all = DataMigrator(FiveReleases.migrations, at: path)
    try await all.up()
    let error = await #expect(throws: PersistenceError.self) { try await all.down(to: 0) }
    #expect(error?.reason == .dataMigration(.notReversible("0005_no_tags")))
  }

  @Test
  func `a revert without types takes the migrations after it out of the ledger`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let (before, records) = (
      try FiveReleases.contents(of: path), try StoredRecords(path).records(of: "notes")
    )
    let migrator = DataMigrator(FiveReleases.migrations, at: path)
    let up = try await migrator.up()
    let report = try await migrator.revert(to: up.before)
    #expect(report.after == up.after.next)
    #expect(try FiveReleases.contents(of: path) == before)
    #expect(try StoredRecords(path).records(of: "notes") == records)
    #expect(try await migrator.status().pending.count == 5)
    let middle = try #require(up.steps[2].revision)
    // The migrations that the revert has taken out of the ledger come back with what they had made.
    try await migrator.revert(to: middle)
    #expect(try await migrator.history().map(\.number) == [1, 2, 3])
    #expect(try await migrator.status().pending == ["0004_integer_ids", "0005_no_tags"])
    try await migrator.revert(to: up.before)
    #expect(try await migrator.up().steps.count == 5)
    #expect(try Inspector(path: path).verify().isSound)
    let error = await #expect(throws: PersistenceError.self) { try await migrator.revert(to: 99) }
    #expect(error?.reason == .notReached(99, last: try await migrator.status().revision))
  }

  @Test
  func `a closure that changes a record keeps what its layout says of references`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let before = try StoredRecords(path).references(of: "notes")
    let change = DataMigration("0001_text", table: "notes") { $0["text"] = .string("changed") }
    try await DataMigrator([change], at: path).up()
    #expect(before == ["author → users", "readers[] → users"])
    #expect(try StoredRecords(path).references(of: "notes") == before)
    let layouts = try StoredRecords(path).view.catalog.layouts(of: "notes")
    #expect(layouts.count == 1)
  }

  @Test
  func `a report counts what each migration does`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let report = try await DataMigrator(FiveReleases.migrations, at: path).up()
    let steps = report.steps.map { step in
      step.tables.map {
        "\($0.table) +\($0.inserted) ~\($0.updated) -\($0.deleted) id\($0.idsChanged) \($0.before)→\($0.after)"
      }
    }
    #expect(
      steps == [
        ["users +0 ~5 -0 id0 5→5"],
        ["memos +0 ~0 -0 id0 5→5"],
        ["addresses +4 ~0 -0 id0 0→4", "users +0 ~4 -0 id0 5→5"],
        ["memos +0 ~5 -0 id0 5→5", "users +0 ~0 -0 id5 5→5"],
        ["tags +0 ~0 -5 id0 5→0"],
      ]
    )
    #expect(report.steps[1].tables.map(\.renamedFrom) == ["notes"])
    #expect(report.steps[2].tables[1].valuesLost == ["street": 4, "city": 2])
    #expect(report.after == Revision(report.before.number + 5))
    #expect(report.steps.allSatisfy { step in step.findings.allSatisfy(\.isAllowed) })
    #expect(report.backup == "\(path).before-\(report.before)")
    #expect(
      try Inspector(path: try #require(report.backup)).info().revision == report.before.number
    )
  }

  @Test
  func `a renamed table and a renamed field keep the bytes of their records`() async throws {
    let path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
    let before = try StoredRecords(path).records(of: "notes")
    try await DataMigrator(Array(FiveReleases.migrations.prefix(2)), at: path).up()
    #expect(try StoredRecords(path).records(of: "memos") == before)
    #expect(
      try StoredRecords(path).references(of: "memos") == ["author → users", "readers[] → users"]
    )
  }
}
