import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage
import TestSupport
import Testing

/// What builds write that know fewer migrations than ran on a store.
struct OlderBuildTests {
  private let app: NumberedStore
  private var path: String { app.path }

  init() async throws {
    app = try await NumberedStore(users: 2)
    try await migrator(3).up()
  }

  private func migrator(_ count: Int) -> DataMigrator { app.migrator(count) }

  private func write(knowing count: Int, _ names: KeyValuePairs<String, String>) async throws {
    try await app.write(knowing: count, names)
  }

  private func names() throws -> [String: String] { try app.names() }

  private func reason(
    _ body: () async throws -> Void
  ) async throws -> DataMigrationError? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      guard let error = error.dataMigration else { throw error }
      return error
    }
  }

  @Test
  func `each record goes through the migrations that the last build to write it did not know`()
    async throws
  {
    try await write(knowing: 1, ["a": "a1", "b": "b1"])
    try await write(knowing: 2, ["b": "b12", "c": "c12", "d": "d12"])
    try await write(knowing: 1, ["d": "d1", "e": "e1"])
    try await write(knowing: 0, ["f": "f"])
    #expect(try await migrator(3).status().stragglers == ["users": 6])
    let report = try await migrator(4).up()
    #expect(report.steps.map(\.number) == [1, 2, 3, 4])
    #expect(report.steps.map(\.isForStragglers) == [true, true, true, false])
    #expect(report.steps.map { $0.tables.map(\.updated) } == [[1], [4], [6], [8]])
    #expect(
      try names() == [
        "u1": "User 11234", "u2": "User 21234", "a": "a1234", "b": "b1234", "c": "c1234",
        "d": "d1234", "e": "e1234", "f": "f1234",
      ]
    )
    #expect(try await migrator(4).status().stragglers == [:])
    #expect(try await migrator(4).up().steps.isEmpty)
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a later step runs on what an earlier one has made of a record of an older build`()
    async throws
  {
    let steps = [
      DataMigration("0001_ids", table: "tags") { $0.id = .string("x\($0.id.text ?? "")") },
      DataMigration("0002_label", table: "tags") { $0["label"] = .string("new") },
    ]
    let app = try await NumberedStore(users: 1)
    try await DataMigrator(steps, at: app.path).up()
    try await app.write(knowing: 0) { $0.db.tags.insert(FiveReleases.First.Tag(id: "a")) }
    let report = try await DataMigrator(steps, at: app.path).up()
    #expect(report.steps.map(\.isForStragglers) == [true, true])
    let labels = try Inspector(path: app.path).show(table: "tags").map { tag in
      [tag.value["id"]?.text, tag.value["label"]?.text]
    }
    #expect(labels == [["xa", "new"], ["xt1", "new"]])
  }

  @Test
  func `entities that are added to a closed store are not of the older build before them`()
    async throws
  {
    try await write(knowing: 1, ["a": "a1"])
    let id = RecordValue.string("i")
    var addition = EntityAddition(to: "users", named: "import")
    _ = addition.add(
      EncodedID.bytes(of: id),
      [.init("id", id), .init("name", .string("i123"))]
    )
    _ = try addition.write(to: path)
    try await write(knowing: 2, ["b": "b12"])
    #expect(try await migrator(3).status().stragglers == ["users": 2])
    try await migrator(4).up()
    let names = try names()
    #expect(names["a"] == "a1234")
    #expect(names["i"] == "i1234")
    #expect(names["b"] == "b1234")
  }

  @Test
  func `a list that is too short leaves what older builds have written to a longer one`()
    async throws
  {
    try await write(knowing: 1, ["a": "a1"])
    let before = try Inspector(path: path).info().revision
    #expect(try await migrator(2).up().steps.isEmpty)
    #expect(try Inspector(path: path).info().revision == before)
    #expect(try await migrator(3).status().stragglers == ["users": 1])
    #expect(try await migrator(3).up().steps.map(\.number) == [2, 3])
    #expect(try names()["a"] == "a123")
  }

  @Test
  func `what an older build has written is brought up before a step is taken back`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    let report = try await migrator(3).down(to: 1)
    #expect(report.steps.map(\.number) == [2, 3, 3, 2])
    #expect(report.steps.map(\.isForStragglers) == [true, true, false, false])
    #expect(try names() == ["u1": "User 11", "u2": "User 21", "a": "a1"])
    #expect(try await migrator(3).status().stragglers == [:])
    try await migrator(3).up()
    #expect(try names() == ["u1": "User 1123", "u2": "User 2123", "a": "a123"])
  }

  @Test
  func `a step is not taken back where what an older build has written cannot be brought up`()
    async throws
  {
    let whole = DataMigration("0004_whole") { tables in
      try tables.forEach(in: "users") { $0["age"] = .integer(1) }
    }.reversed(table: "users") { $0.remove("age") }
    let migrator = DataMigrator(Array(NumberedStore.steps.prefix(3)) + [whole], at: path)
    try await migrator.up()
    try await write(knowing: 3, ["a": "a123"])
    let before = try await migrator.status()
    let error = DataMigrationError.stragglers("0004_whole", tables: ["users": 1])
    #expect(try await reason { try await migrator.down() } == error)
    #expect(try await migrator.status() == before)
    #expect(before.stragglers == ["users": 1])
  }

  @Test
  func `a marker of a migration in Swift is left to the program`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    let marker = DataMigration(name: "0002_add", form: .swift, content: nil, up: nil)
    let command = DataMigrator([NumberedStore.steps[0], marker, NumberedStore.steps[2]], at: path)
    #expect(try await reason { try await command.up() } == .needsProgram("0002_add"))
    #expect(try await migrator(3).up().steps.map(\.number) == [2, 3])
    #expect(try names()["a"] == "a123")
  }

  @Test
  func `a revert takes back what older builds have written after its revision`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    let revision = try await migrator(3).status().revision
    try await write(knowing: 1, ["u1": "changed1", "b": "b1", "a": "again1"])
    try await migrator(3).revert(to: revision)
    #expect(try names() == ["u1": "User 1123", "u2": "User 2123", "a": "a1"])
    #expect(try await migrator(3).status().stragglers == ["users": 1])
    try await write(knowing: 2, ["c": "c12"])
    try await migrator(3).up()
    #expect(try names() == ["u1": "User 1123", "u2": "User 2123", "a": "a123", "c": "c123"])
  }

  @Test
  func `a revert does not go back among records that were brought up since`() async throws {
    let before = try await migrator(3).status().revision
    try await write(knowing: 1, ["a": "a1"])
    let among = try await migrator(3).status().revision
    try await migrator(3).up()
    let since = "migration 0002_add, on records of an older build"
    let unknown = await #expect(throws: PersistenceError.self) {
      try await migrator(3).revert(to: among)
    }
    #expect(unknown?.reason == .ledgerUnknown(among, since: since))
    #expect(try names()["a"] == "a123")
    try await migrator(3).revert(to: before)
    #expect(try names() == ["u1": "User 1123", "u2": "User 2123"])
    #expect(try await migrator(3).status().pending == [])
    // Before the migrations no record was brought up.
    try await migrator(3).revert(to: 1)
    #expect(try await migrator(3).up().steps.map(\.number) == [1, 2, 3])
  }

  @Test
  func `what a run of migrations has written is not of an older build`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    let revision = try await migrator(3).status().revision
    try await migrator(3).up()
    let connection = try Connection(path: path, mode: .readWrite)
    let chain = try #require(try ReadView(connection).chain(at: revision))
    var marks = OlderBuildMarks()
    marks.add(.olderBuild(knowing: 1), after: HeadRecord.Mark(revision: revision, chain: chain))
    try connection.transaction { try marks.write(to: connection) }
    try connection.close()
    #expect(try await migrator(3).status().stragglers == [:])
    #expect(try await migrator(3).up().steps.isEmpty)
    #expect(try names()["a"] == "a123")
  }

  @Test
  func `history stays until a newer build has looked through it, and no longer`() async throws {
    func marks() throws -> Int { try StoredRecords(path).marks() }
    #expect(try marks() == 0)
    for _ in 0..<3 { try await write(knowing: 1, ["a": "a1"]) }
    #expect(try marks() == 1)
    try await write(knowing: 2, [:])
    try await write(knowing: 1, ["b": "b1"])
    #expect(try marks() == 1)
    try await write(knowing: 2, ["c": "c12"])
    #expect(try marks() == 2)
    try await write(knowing: 3, [:])
    #expect(try marks() == 0)
    #expect(try names()["b"] == "b123")
  }
}
