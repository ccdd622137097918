import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataStorage
import TestSupport
import Testing

/// What keeps migrations from running, and what they leave then.
struct DataMigratorTests {
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
    }
  }

  private func migrator(_ migrations: [DataMigration]) -> DataMigrator {
    DataMigrator(migrations, at: path)
  }

  private func reason(
    _ body: () async throws -> Void
  ) async throws -> DataMigrationError? {
    do {
      try await body()
    } catch let error as PersistenceError {
      guard let error = error.dataMigration else { throw error }
      return error
    }
    return nil
  }

  /// Where the store stands, with its contents and its ledger.
  private func standing() async throws -> String {
    let info = try Inspector(path: path).info()
    let ledger = try await migrator([]).history()
    let contents = try FiveReleases.contents(of: path).sorted { $0.key < $1.key }
    return "\(info.revision) \(info.chain) \(contents) \(ledger)"
  }

  @Test
  func `a list that is not numbered in order is refused`() async throws {
    #expect(try await reason { try await migrator([touch("first")]).up() } == .badName("first"))
    #expect(
      try await reason { try await migrator([touch("0001_a"), touch("0003_c")]).up() }
        == .gap(expected: 2, found: "0003_c")
    )
    #expect(
      try await reason { try await migrator([touch("0001_a"), touch("1_b")]).up() }
        == .duplicate(number: 1, names: ["0001_a", "1_b"])
    )
    #expect(
      try await reason { try await migrator([touch("2_b"), touch("1_a")]).up() }
        == .gap(expected: 1, found: "2_b")
    )
    #expect(
      try await reason { try await migrator([touch("1_a"), touch("2_b"), touch("1_c")]).up() }
        == .duplicate(number: 1, names: ["1_a", "1_c"])
    )
  }

  @Test
  func `a migration that has changed, or that is missing, is refused until it is repaired`()
    async throws
  {
    try await migrator([touch("0001_a"), touch("0002_b")]).up()
    let changed = migrator([touch("0001_a", version: 2), touch("0002_b"), touch("0003_c")])
    let drift = DataMigrationError.drifted(number: 1, name: "0001_a", appliedAs: "0001_a")
    #expect(try await reason { try await changed.up() } == drift)
    #expect(try await changed.status().problem == drift)
    #expect(try await changed.status().entries.map(\.state) == [.drifted, .applied, .pending])
    let renamed = migrator([touch("0001_x"), touch("0002_b")])
    #expect(
      try await reason { try await renamed.up() }
        == .drifted(number: 1, name: "0001_x", appliedAs: "0001_a")
    )
    #expect(try await changed.repair().map(\.number) == [1])
    #expect(try await changed.repairs() == [])
    #expect(try await changed.up().steps.map(\.name) == ["0003_c"])
    let squashed = DataMigration("0002_squashed", replacing: 1...2)
    #expect(try await migrator([squashed, touch("0003_c"), touch("0004_d")]).up().steps.count == 1)
    #expect(
      try await reason {
        try await migrator([DataMigration("0003_s", replacing: 1...3), touch("0004_e")]).up()
      } == .drifted(number: 4, name: "0004_e", appliedAs: "0004_d")
    )
  }

  @Test
  func `a store older than a squashed migration is told which one it needs`() async throws {
    let list = [DataMigration("0002_squashed", replacing: 1...2), touch("0003_c")]
    #expect(
      try await reason { try await migrator(list).up() }
        == .tooOld(needs: 2, found: 0, squashed: "0002_squashed")
    )
    try await migrator([touch("0001_a")]).up()
    #expect(
      try await reason { try await migrator(list).up() }
        == .tooOld(needs: 2, found: 1, squashed: "0002_squashed")
    )
    try await migrator([touch("0001_a"), touch("0002_b")]).up()
    #expect(try await migrator(list).up().steps.map(\.name) == ["0003_c"])
  }

  @Test
  func `a migration that fails leaves position, content and ledger, whatever ran before it`()
    async throws
  {
    struct Mistake: Error {}
    try await migrator([touch("0001_a")]).up()
    let before = try await standing()
    let failing = DataMigration("0003_c", table: "users") { user in
      user["name"] = .string("lost")
      if user.id == .string("u4") { throw Mistake() }
    }
    let list = [touch("0001_a"), touch("0002_b"), failing]
    #expect(
      try await reason { try await migrator(list).up() }
        == .failed("0003_c", detail: "Mistake()")
    )
    #expect(try await standing() == before)
    #expect(try Inspector(path: path).verify().isSound)
    #expect(try await migrator(list).up(to: 2).steps.map(\.name) == ["0002_b"])
  }

  @Test
  func `values are not lost without a word, and plan writes nothing`() async throws {
    let loss = DataMigration("0001_no_city", table: "users") { $0.remove("city") }
    let before = try StoreBytes(path)
    let planned = try await migrator([loss]).plan()
    #expect(try StoreBytes(path) == before)
    let finding = try #require(planned.refusals["0001_no_city"]?.first)
    #expect(finding.description == "destructive(users.city): users.city loses 2 values, all it has")
    let standing = try await standing()
    #expect(
      try await reason { try await migrator([loss]).up() } == .refused(["0001_no_city": [finding]])
    )
    #expect(try await self.standing() == standing)
    let some = DataMigration("0001_some", table: "users") { user in
      if user.id == .string("u2") { user["city"] = .null }
    }
    let partly = try await migrator([some]).plan()
    #expect(partly.steps[0].findings.map(\.kind) == [.lossy])
    let report = try await migrator([loss.allowing(.destructive("users.city"))]).up()
    #expect(report.steps[0].tables[0].valuesLost == ["city": 2])
    #expect(report.refusals.isEmpty)
  }

  @Test
  func `references that would lead nowhere are found`() async throws {
    let removal = DataMigration("0001_remove", table: "users") { user in
      if user.id == .string("u3") { user.removeRecord() }
    }
    let planned = try await migrator([removal]).plan()
    let dangling = planned.steps[0].tables.first { $0.table == "notes" }?.dangling
    #expect(
      dangling == [
        .init(field: "author", target: "users", count: 1),
        .init(field: "readers[]", target: "users", count: 1),
      ]
    )
    #expect(planned.refusals["0001_remove"]?.map(\.kind) == [.deletes, .dangling, .dangling])
  }

  private static let integerIDs = DataMigration(
    "0001_integers",
    .changeID(of: "users") { user in
      .integer(Int(user.id.text?.dropFirst() ?? "") ?? -1)
    } back: { user in
      user.id.integer.flatMap { $0 < 100 ? .string("u\($0)") : nil }
    }
  )

  @Test
  func `a change of IDs is taken back with the references`() async throws {
    let before = try FiveReleases.contents(of: path)
    let migrator = migrator([Self.integerIDs])
    try await migrator.up()
    #expect(
      try Inspector(path: path).show(table: "notes", id: "n2")[0].value["author"] == .integer(2)
    )
    let report = try await migrator.down()
    #expect(report.steps[0].tables.first { $0.table == "users" }?.idsChanged == 5)
    #expect(report.refusals.isEmpty)
    #expect(try FiveReleases.contents(of: path) == before)
    #expect(try await migrator.test().steps.count == 1)
  }

  @Test
  func `a record without an earlier ID ends the way back`() async throws {
    try await migrator([Self.integerIDs]).up()
    let late = DataMigration("0002_late") { tables in
      try tables.put(
        MigrationRecord(
          table: "users",
          id: .integer(100),
          [.init("id", .integer(100)), .init("name", .string("Late"))]
        )
      )
    }.reversed { _ in }
    let both = migrator([Self.integerIDs, late])
    try await both.up()
    let before = try await standing()
    let error = try await reason { try await both.down(to: 0) }
    #expect(
      error
        == .idsNotReversible("0001_integers", detail: "users 100 has no ID from before it")
    )
    #expect(
      error?.description
        == "the migration 0001_integers cannot be taken back: users 100 has no ID from before it"
    )
    #expect(try await standing() == before)

    let same = DataMigration(
      "0001_integers",
      .changeID(of: "users") {
        $0.id
      } back: { _ in
        .string("u1")
      }
    )
    #expect(
      try await reason { try await migrator([same, late]).down(to: 0) }
        == .idsNotReversible("0001_integers", detail: "two records of users would have the ID u1")
    )
  }

  @Test
  func `a step changes IDs among other things, on either way`() async throws {
    let before = try FiveReleases.contents(of: path)
    let step = DataMigration("0001_prefix") { tables in
      try tables.forEach(in: "users") { $0["seen"] = .bool(true) }
      try tables.changeID(of: "users") { .string("x\($0.id.text ?? "")") }
    }.reversed { tables in
      try tables.changeID(of: "users") { .string(String($0.id.text?.dropFirst() ?? "")) }
      try tables.forEach(in: "users") { $0.remove("seen") }
    }.allowing(.destructive("users.seen"))
    try await migrator([step]).up()
    #expect(
      try Inspector(path: path).show(table: "notes", id: "n2")[0].value["author"] == .string("xu2")
    )
    try await migrator([step]).down()
    #expect(try FiveReleases.contents(of: path) == before)
  }

  @Test
  func `two records never get one ID`() async throws {
    let same = DataMigration("0001_same", .changeID(of: "users") { _ in .integer(1) })
    let before = try await standing()
    #expect(
      try await reason { try await migrator([same]).up() }
        == .failed("0001_same", detail: "two records of users would have the ID 1")
    )
    let onto = DataMigration("0001_onto", table: "users") { user in
      if user.id == .string("u1") { user.id = .string("u2") }
    }
    #expect(
      try await reason { try await migrator([onto]).up() }
        == .failed("0001_onto", detail: "two records of users would have the ID u2")
    )
    #expect(try await standing() == before)
    let shift = DataMigration(
      "0001_shift",
      .changeID(of: "users") { .string("u\((Int($0.id.text?.dropFirst() ?? "") ?? 0) + 1)") }
    )
    let report = try await migrator([shift]).up()
    #expect(report.steps[0].tables.first { $0.table == "users" }?.idsChanged == 5)
    #expect(
      try Inspector(path: path).show(table: "notes", id: "n2")[0].value["author"]
        == .string("u3")
    )
  }

  @Test
  func `a migration without an effect has a row in the ledger and a delta without changes`()
    async throws
  {
    let nothing = DataMigration("0001_nothing", table: "users") { _ in }
    let revision = try Inspector(path: path).info().revision
    let report = try await migrator([nothing]).up()
    #expect(report.before == Revision(revision) && report.after == Revision(revision).next)
    #expect(report.steps[0].tables.isEmpty)
    #expect(report.steps[0].findings.map(\.kind) == [.noEffect])
    #expect(report.refusals.isEmpty)
    #expect(try await migrator([nothing]).history().map(\.name) == ["0001_nothing"])
    #expect(try await migrator([nothing]).up().steps.isEmpty)
  }

  @Test
  func `a baseline notes migrations without running them`() async throws {
    let list = [touch("0001_a"), touch("0002_b"), touch("0003_c")]
    #expect(try await migrator(list).baseline(at: 2).map(\.number) == [1, 2])
    #expect(try await migrator(list).up().steps.map(\.number) == [3])
    #expect(try await migrator(list).history().map(\.form) == [.baseline, .baseline, .swift])
    #expect(
      try await reason { try await migrator(list).baseline(at: 7) } == .unknownNumber(7)
    )
  }

  @Test
  func `the newest three backups stay, and none is made where none is wanted`() async throws {
    for count in 1...5 {
      try await migrator((1...count).map { touch("\($0)_touch") }).up()
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    let backups = names.filter { $0.contains(".before-") && !$0.contains(".lock") }.sorted()
    #expect(backups == ["app.strata.before-3", "app.strata.before-4", "app.strata.before-5"])
    var without = migrator((1...6).map { touch("\($0)_touch") })
    without.configuration.backups = .none
    #expect(try await without.up().backup == nil)
    let position = try await StoreBackup.restore(
      directory.path("app.strata.before-5"),
      to: directory.path("restored.strata")
    )
    #expect(position.revision == 5)
  }

  @Test
  func `a test runs every migration up, down and up again, and leaves the store`() async throws {
    let before = try StoreBytes(path)
    let report = try await migrator(FiveReleases.migrations).test()
    #expect(report.steps.map(\.number) == [1, 2, 3, 4, 5])
    #expect(try StoreBytes(path) == before)
  }

  @Test
  func `a store that is open is not migrated, and can be planned`() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations([])]
    )
    let error = await #expect(throws: PersistenceError.self) {
      try await migrator([touch("0001_a")]).up()
    }
    guard case .alreadyOpen? = error?.reason else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(try await migrator([touch("0001_a")]).plan().steps.count == 1)
    #expect(try await migrator([touch("0001_a")]).status().pending == ["0001_a"])
    try await persistence.close()
  }

  @Test
  func `a record takes values of types, and its numbers keep the kinds of their fields`()
    async throws
  {
    let change = DataMigration("0001_change", table: "notes") { note, tables in
      let score = try note.value(Double.self, of: "score") ?? 0
      note["score"] = .integer(Int(score.rounded()))
      try note.set("marks", to: ["a": 1, "b": 2])
      note["rank"] = .integer(7)
      if let author = try note.value(String.self, of: "author"), author != "u1" {
        try tables.remove(id: .string(author), from: "users")
        #expect(try tables.record(in: "users", id: .string(author)) == nil)
      }
      #expect(tables.names == ["notes", "tags", "users"])
    }.allowing(.dangling("notes"), .deletes("users"))
    let report = try await migrator([change]).up()
    #expect(report.steps[0].tables.map(\.deleted) == [0, 4])
    let findings = report.steps[0].findings
    #expect(findings.map(\.kind) == [.deletes, .dangling, .dangling])
    #expect(findings.map(\.isAllowed) == [true, true, true])
    let note = try Inspector(path: path).show(table: "notes", id: "n4")[0].value
    #expect(note["score"] == .double(1))
    #expect(note["rank"] == .int(7, .bits64))
    #expect(note["marks"]?.json() == #"{"a":1,"b":2}"#)
    #expect(try Inspector(path: path).tables().first { $0.name == "users" }?.count == 1)
  }

  @Test
  func `sealed records are not read, and can be removed`() async throws {
    let sealed = directory.path("sealed.strata")
    let persistence = try await Persistence.open(
      at: sealed,
      initialState: FiveReleases.First.State(),
      database: \.db,
      tables: [.sealed(\.users, with: ToyVault(key: 1))],
      with: [.migrations([])]
    )
    let store = Store<FiveReleases.First.State, Never>(persistence)
    store.commit { $0.db.users.insert(FiveReleases.First.User(id: "a", name: "Ann")) }
    try await persistence.close()
    #expect(
      try await reason { try await DataMigrator([touch("0001_a")], at: sealed).up() }
        == .sealed(table: "users")
    )
    let drop = DataMigration("0001_drop", .dropTable("users"))
    #expect(try await DataMigrator([drop], at: sealed).up().steps[0].tables[0].deleted == 1)
  }

  @Test
  func `an error on a copy names the store, and a report says what an opening ran`() async throws {
    let failing = DataMigration("0001_fail") { _ in throw CocoaError(.fileReadUnknown) }
    let error = await #expect(throws: PersistenceError.self) {
      try await migrator([failing]).plan()
    }
    #expect(error?.path == path)
    #expect(error?.description.contains("strata-migration") == false)
    let persistence = try await Persistence.open(
      at: path,
      initialState: FiveReleases.First.State(),
      database: \.db,
      with: [.migrations([touch("0001_a")])]
    )
    let text = "\(persistence.report)"
    #expect(text.contains("Ran 1 migration, from revision 1 to 2: 0001_a."), "\(text)")
    #expect(text.contains("The file as it was before is \(path).before-1."), "\(text)")
    try await persistence.close()
  }
}
