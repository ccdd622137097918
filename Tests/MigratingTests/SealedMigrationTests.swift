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

/// Steps over tables whose records are sealed.
struct SealedMigrationTests {
  private typealias First = FiveReleases.First

  private let directory: TemporaryDirectory
  private let path: String
  private let vault = ToyVault(key: 7)

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await open()
    let store = Store<First.State, Never>(persistence)
    for number in 0..<40 {
      let id = First.User.ID("u\(number)")
      store.commit { state in
        state.db.users.insert(
          First.User(id: id, name: "secret name \(number)", street: "secret street")
        )
        state.db.notes.insert(
          First.Note(id: First.Note.ID("n\(number)"), text: "secret text", author: id)
        )
      }
    }
    try await persistence.close()
  }

  private func open() async throws -> Persistence<First.State, First.Database> {
    try await Persistence.open(
      at: path,
      initialState: First.State(),
      database: \.db,
      tables: [.sealed(\.users, with: vault), .sealed(\.notes, with: vault)],
      with: [.migrations(.external)]
    )
  }

  private func users() async throws -> [String: First.User] {
    let persistence = try await open()
    let users = Array(Store<First.State, Never>(persistence).state.db.users)
    try await persistence.close()
    return Dictionary(uniqueKeysWithValues: users.map { ($0.id.raw, $0) })
  }

  private func up(_ migrations: DataMigration...) async throws -> MigrationReport {
    try await DataMigrator(migrations, at: path).up()
  }

  /// Why a step is refused.
  private func reason(_ step: DataMigration) async throws -> DataMigrationError? {
    let error = try await #require(throws: PersistenceError.self) { _ = try await up(step) }
    guard let reason = error.dataMigration else { throw error }
    return reason
  }

  /// Whether a text is in a file of the store or of its backups.
  private func holds(_ text: String) throws -> Bool {
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(names.count > 2)
    return try names.contains { name in
      try Data(contentsOf: URL(fileURLWithPath: directory.path(name)))
        .firstRange(of: Data(text.utf8)) != nil
    }
  }

  private let exclaim = DataMigration("0001_name", table: "users") { user in
    guard user.id.text != "u3" else { return }
    user["name"] = .string((user["name"]?.text ?? "") + " changed")
  }

  @Test func `a step sees sealed records opened, and seals what it stores`() async throws {
    let before = try Inspector(path: path).show(table: "users", id: "u3")[0].value
    let plan = try await DataMigrator([exclaim.sealed("users", with: vault)], at: path).plan()
    let report = try await up(exclaim.sealed("users", with: vault))
    #expect(plan.steps[0].tables == report.steps[0].tables)
    #expect(report.steps[0].tables[0].updated == 39)
    let users = try await users()
    #expect(users["u2"]?.name == "secret name 2 changed")
    #expect(users["u3"]?.name == "secret name 3")
    #expect(try Inspector(path: path).show(table: "users", id: "u3")[0].value == before)
    #expect(try !holds("secret"))
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `records that get other IDs are sealed for these`() async throws {
    let move = DataMigration("0001_ids", table: "users") { user in
      user.id = .string("x" + (user.id.text ?? ""))
      user["id"] = user.id
    }
    let change = DataMigration(
      "0002_ids",
      .changeID(of: "users") { .string("y" + ($0.id.text ?? "")) }
    )
    _ = try await up(
      move.sealed("users", with: vault).allowing(.dangling("notes"), .dangling("users")),
      change.sealed("users", with: vault).sealed("notes", with: vault)
    )
    #expect(try await users().keys.sorted().first == "yxu0")
    #expect(try await users()["yxu5"]?.name == "secret name 5")
    #expect(try !holds("secret"))
  }

  @Test func `references in sealed records follow a changed ID`() async throws {
    let change = DataMigration(
      "0001_ids",
      .changeID(of: "users") { .string("y" + ($0.id.text ?? "")) }
    )
    _ = try await up(change.sealed("users", with: vault).sealed("notes", with: vault))
    let persistence = try await open()
    let notes = Store<First.State, Never>(persistence).state.db.notes
    #expect(notes[First.Note.ID("n5")]?.author.raw == "yu5")
    try await persistence.close()
    #expect(try !holds("secret"))
  }

  @Test func `the way back sees sealed records opened too`() async throws {
    let step = exclaim.reversed(table: "users") { user in
      user["name"] = .string((user["name"]?.text ?? "").replacing(" changed", with: ""))
    }
    let migrator = DataMigrator([step.sealed("users", with: vault)], at: path)
    #expect(try await migrator.up().steps[0].tables[0].updated == 39)
    #expect(try await migrator.down(to: 0).steps[0].tables[0].updated == 39)
    #expect(try await users()["u2"]?.name == "secret name 2")
    #expect(try !holds("secret"))
  }

  @Test func `a renamed table keeps its seal`() async throws {
    let rename = DataMigration("0001_rename", .rename("users", to: "people"))
    let back = DataMigration("0002_back", .rename("people", to: "users"))
    let field = DataMigration("0003_field", .renameField("street", to: "city", in: "users"))
    _ = try await up(
      rename.sealed("users", with: vault),
      back.sealed("people", with: vault),
      field.sealed("users", with: vault)
    )
    #expect(try await users()["u7"]?.city == "secret street")
    #expect(try !holds("secret"))
  }

  @Test func `a loss in a sealed record is found`() async throws {
    let lose = DataMigration("0001_lose", table: "users") { $0.remove("street") }
    let plan = try await DataMigrator([lose.sealed("users", with: vault)], at: path).plan()
    #expect(plan.steps[0].findings.map(\.kind) == [.destructive])
    #expect(plan.steps[0].tables[0].valuesLost == ["street": 40])
  }

  @Test func `a wrong key, or none, changes nothing`() async throws {
    let info = try Inspector(path: path).info()
    #expect(try await reason(exclaim) == .sealed(table: "users"))
    let wrong = try await reason(exclaim.sealed("users", with: ToyVault(key: 8)))
    let opening = "users u0 could not be opened: Refused()"
    #expect(wrong == .failed("0001_name", detail: opening))
    let refusing = ToyVault(key: 7, refusing: Array("changed".utf8))
    let refused = try await reason(exclaim.sealed("users", with: refusing))
    #expect(refused == .failed("0001_name", detail: "users u0 could not be sealed: Refused()"))
    #expect(try Inspector(path: path).info().chain == info.chain)
    #expect(try await users()["u2"]?.name == "secret name 2")
  }
}
