import Foundation
import Strata
import StrataInspection
import StrataJournal
import TestSupport
import Testing

private struct Part: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "parts"
  let id: EntityID<Part>
  var name: String
  var stock: Int

  static let byName = UniqueIndex(\Part.name)
  static let indexes: EntityIndexes<Part> = [byName]
}

private struct Place: EntityType {
  static let tableName: TableName = "places"
  let id: EntityID<Place>
  var town: String
}

private struct Depot: DatabaseType, StateType {
  var parts = EntityTable<Part>()
  var places = EntityTable<Place>()

  static let schema = DatabaseSchema<Depot> {
    Entities(\.parts)
    Entities(\.places)
    Check("stock", \.parts) { $0.stock >= 0 }
  }
}

/// The rules of a program that the command cannot check, and names where it writes records.
struct UncheckedRulesTests {
  let directory: TemporaryDirectory
  let store: String

  private static let line = """
    strata: not checked: name (parts), stock (parts). The program checks its rules when it opens the store.

    """

  /// Two parts; a third one came, and has another stock; the second one went.
  init() async throws {
    directory = try TemporaryDirectory()
    store = directory.path("app.strata")
    let persistence = try await open()
    let depot = Store<Depot, Never>(persistence)
    depot.commit {
      $0.parts = [Part(id: 1, name: "nut", stock: 4), Part(id: 2, name: "cap", stock: 5)]
      $0.places = [Place(id: "u", town: "Ulm")]
    }
    depot.commit { $0.parts.insert(Part(id: 3, name: "pin", stock: 6)) }
    depot.commit { $0.parts.insert(Part(id: 3, name: "pin", stock: 7)) }
    depot.commit { $0.parts.remove(2) }
    try await persistence.close()
  }

  private func open() async throws -> Persistence<Depot, Depot> {
    try await Persistence.open(at: store, initialState: Depot(), database: \.self)
  }

  private func write(_ text: String, to name: String) throws -> String {
    let path = directory.path(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Runs a subcommand that is to end well; returns its errors.
  private func errors(_ arguments: String...) async throws -> String {
    let program = try await Program.run(Program.strataPath(), arguments)
    #expect(program.status == 0, "\(program)")
    return program.errors
  }

  @Test func `an import names the rules of its table, once`() async throws {
    let parts = try write("id,name,stock\n3,pin,-1\n4,nut,2\n", to: "parts.csv")
    #expect(try await errors("import", store, "parts", parts, "--dry-run") == "")
    #expect(try await errors("import", store, "parts", parts, "--json") == Self.line)
    // Nothing is left to write.
    #expect(try await errors("import", store, "parts", parts) == "")
    let places = try write("id,town\na,Ulm\n", to: "places.csv")
    #expect(try await errors("import", store, "places", places) == "")
    let error = await #expect(throws: PersistenceError.self) { _ = try await open() }
    #expect(error?.description.contains("the entity 3 in parts breaks the check \"stock\"") == true)
    #expect(error?.description.contains("unique index \"parts.name\"") == true)
  }

  @Test func `an undo names them where records come back`() async throws {
    // Removes what the second commit has added.
    #expect(try await errors("undo", store, "2", "--overwrite") == "")
    #expect(try await errors("undo", store, "4", "--dry-run") == "")
    #expect(try await errors("undo", store, "4") == Self.line)
  }

  @Test func `so do a revert of a table and of all, and nothing without a change`() async throws {
    #expect(try await errors("revert", store, "parts", "--at", "4") == "")
    #expect(try await errors("revert", store, "parts", "--at", "2") == Self.line)
    #expect(try await errors("revert", store, "--at", "1", "--no-backup") == Self.line)
  }

  @Test func `a migration names those of the tables whose records it writes`() async throws {
    let folder = directory.path("Migrations")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    _ = try write(
      "INSERT INTO places (id, town) VALUES ('a', 'Ulm');",
      to: "Migrations/0001_places.sql"
    )
    #expect(try await errors("migrate", "up", store, "--dir", folder) == "")
    _ = try write("UPDATE parts SET stock = -1;", to: "Migrations/0002_sell.sql")
    #expect(try await errors("migrate", "plan", store, "--dir", folder) == "")
    #expect(try await errors("migrate", "up", store, "--dir", folder) == Self.line)
  }
}
