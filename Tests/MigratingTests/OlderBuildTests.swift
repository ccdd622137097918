import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQLite
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
      guard case .dataMigration(let error) = error.reason else { throw error }
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
    #expect(
      try await reason { try await migrator(3).revert(to: among) }
        == .ledgerUnknown(among, since: since)
    )
    #expect(try names()["a"] == "a123")
    try await migrator(3).revert(to: before)
    #expect(try names() == ["u1": "User 1123", "u2": "User 2123"])
    #expect(try await migrator(3).status().pending == [])
    // Before the migrations no record was brought up.
    try await migrator(3).revert(to: 1)
    #expect(try await migrator(3).up().steps.map(\.number) == [1, 2, 3])
  }

  /// The marks of the file as format 2 had them: parts of a name.
  private func marksOfFormat2() throws -> [(name: String, revision: Revision)] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try OlderBuildMarks.read(connection).openings.map { opening in
      switch opening.writer {
      case .olderBuild(let known): ("\(known).\(opening.revision)", opening.revision)
      case .currentBuild: ("current.\(opening.revision)", opening.revision)
      case .undone: ("undone.\(opening.revision)", opening.revision)
      }
    }
  }

  /// Gives the file the marks that a file of format 2 has once it is brought up.
  private func setMarks(_ marks: [(name: String, revision: Revision)]) throws {
    let old = try Connection.inMemory()
    let catalog = MigrationCatalog(Array(MigrationCatalog.file.migrations.prefix(2)))
    try Migrator(catalog: catalog, now: { 0 }).migrate(old)
    for (name, revision) in marks {
      try old.run(
        "INSERT INTO consumer (name, revision, chain) VALUES (?, ?, zeroblob(16))",
        [.text("strata.older-build.\(name)"), .integer(revision.number)]
      )
    }
    try OlderFormat.present(on: old)
    let read = try OlderBuildMarks.read(old)
    try OlderFormat.removeViews(from: old)
    try Migrator(catalog: .file, now: { 0 }).migrate(old)
    #expect(try OlderBuildMarks.read(old) == read)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.transaction { try read.write(to: connection) }
    try connection.close()
  }

  @Test
  func `marks of format 2 are those of format 3`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    try await write(knowing: 2, ["b": "b12", "c": "c12"])
    try await migrator(3).revert(to: try await migrator(3).status().revision.previous)
    let marks = try marksOfFormat2()
    #expect(marks.prefix(3).map(\.name.first) == ["1", "2", "u"])
    try setMarks(marks)
    #expect(try marksOfFormat2().map(\.name) == marks.map(\.name))
  }

  @Test
  func `marks from before openings were noted one by one count as the oldest build`()
    async throws
  {
    try await write(knowing: 2, ["a": "a12"])
    try setMarks(try marksOfFormat2().map { ("2", $0.revision) })
    try await write(knowing: 1, ["b": "b1"])
    #expect(try await migrator(3).up().steps.map(\.number) == [2, 3])
    #expect(try names()["a"] == "a123")
    #expect(try names()["b"] == "b123")
    try await write(knowing: 2, ["c": "c12"])
    try await write(knowing: 1, ["d": "d1"])
    // The former version noted both, and not which of them wrote a record.
    try setMarks(try marksOfFormat2().map { (String($0.name.prefix(1)), $0.revision) })
    #expect(try await migrator(3).up().steps.map(\.number) == [2, 3])
    #expect(try names()["c"] == "c1223")
    #expect(try names()["d"] == "d123")
  }

  @Test
  func `what a run of migrations has written is not of an older build`() async throws {
    try await write(knowing: 1, ["a": "a1"])
    let revision = try await migrator(3).status().revision
    try await migrator(3).up()
    // The former version took steps back and left the marks.
    try setMarks([("1", revision)])
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
