import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// References that only the types of a build say: those of fields that were texts before, and of tables that a script has
/// made.
struct OpenedReferencesTests {
  private typealias User = FiveReleases.First.User

  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: State<Former>(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = Store<State<Former>, Never>(persistence)
    store.commit { state in
      for id in ["u1", "u2", "u3"] {
        state.db.users.insert(User(id: EntityID(id), name: "User"))
      }
      state.db.phones.insert(
        Former.Phone(
          id: "p1",
          person: "u1",
          others: ["u2"],
          owner: .init(user: "u3"),
          lines: [.init(user: "u1")],
          note: "u1"
        )
      )
      state.db.phones.insert(Former.Phone(id: "p2", others: [], lines: [], note: "u2"))
    }
    try await persistence.close()
  }

  /// The build before: IDs are texts.
  private struct Former: DatabaseType {
    struct Phone: EntityType {
      struct Owner: Codable, Equatable { var user: String }

      static let tableName: TableName = "phones"
      let id: EntityID<Phone>
      var person: String?
      var others: [String]
      var owner: Owner?
      var lines: [Owner]
      var note: String
    }

    var users = EntityTable<User>()
    var phones = EntityTable<Phone>()
    static let schema = DatabaseSchema<Former> {
      Entities(\.users)
      Entities(\.phones)
    }
  }

  private struct Phone: EntityType {
    struct Owner: Codable, Equatable { var user: User.ID }

    static let tableName: TableName = "phones"
    let id: EntityID<Phone>
    var person: User.ID?
    var others: [User.ID]?
    var owner: Owner?
    var lines: [Owner]?
    var note: String
  }

  private struct Database: DatabaseType {
    var users = EntityTable<User>()
    var phones = EntityTable<Phone>()
    static let schema = DatabaseSchema<Database> {
      Entities(\.users)
      Entities(\.phones)
    }
  }

  private struct State<Database: DatabaseType>: StateType { var db = Database() }

  private func open(
    at path: String? = nil,
    _ restore: RestorePolicy = .strict,
    _ change: (inout State<Database>) -> Void = { _ in }
  ) async throws {
    var configuration = PersistenceConfiguration()
    configuration.restore = restore
    let persistence = try await Persistence.open(
      at: path ?? self.path,
      initialState: State<Database>(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(.external)]
    )
    let store = Store<State<Database>, Never>(persistence)
    if restore != .readOnly { store.commit { change(&$0) } }
    try await persistence.close()
  }

  /// Every reference that the layouts of the phones or what is declared of their columns says.
  private func references(at path: String? = nil) throws -> [String] {
    try Inspector(path: path ?? self.path).query { view in
      let layouts = view.catalog.layouts(of: "phones")
      let declared = try Layout(view.declared.filter { $0.table == "phones" }.map(\.field))
      return Set((layouts + [declared]).flatMap(\.references).map { "\($0)" }).sorted()
    }
  }

  /// Gives the users other IDs, and returns the fields that have the old ones still.
  private func changeIDs() async throws -> [String] {
    let ids = DataMigration(
      "0001_ids",
      .changeID(of: "users") { .string("x\($0.id.text ?? "")") }
    )
    let migrator = DataMigrator([ids], at: path)
    let plan = try await migrator.plan()
    try await migrator.up()
    return try #require(plan.steps.last).findings.filter { $0.kind == .unfollowed }
      .map { "\($0.table ?? "").\($0.field ?? "")" }
  }

  private func phone(_ id: String) throws -> [String: String] {
    let phone = try #require(Inspector(path: path).show(table: "phones", id: id).first)
    let members = phone.value.members ?? []
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.json()) })
  }

  /// What a build does before the change of IDs.
  enum Between: CaseIterable { case opens, writes }

  @Test(arguments: Between.allCases)
  func `a change of IDs follows a type, whether or not a record was written`(
    _ between: Between
  ) async throws {
    try await open { state in
      guard between == .writes, var phone = state.db.phones["p1"] else { return }
      phone.note = "u3"
      state.db.phones.insert(phone)
    }
    #expect(
      try references() == [
        "lines[].user → users", "others[] → users", "owner.user → users", "person → users",
      ]
    )
    #expect(try await changeIDs() == ["phones.note"])
    let changed = try phone("p1")
    #expect(changed["person"] == #""xu1""#)
    #expect(changed["others"] == #"["xu2"]"#)
    #expect(changed["owner"] == #"{"user":"xu3"}"#)
    #expect(changed["lines"] == #"[{"user":"xu1"}]"#)
    #expect(changed["note"] == (between == .writes ? #""u3""# : #""u1""#))
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test func `without an opening by the type its fields are listed as not followed`() async throws {
    #expect(try references() == [])
    #expect(
      try await changeIDs() == [
        "phones.lines[].user", "phones.note", "phones.others[]", "phones.owner.user",
        "phones.person",
      ]
    )
  }

  @Test func `references are noted once, and not by an opening for reading`() async throws {
    let before = try Inspector(path: path).info().revision
    let bytes = try StoreBytes(path)
    try await open(.readOnly)
    #expect(try StoreBytes(path) == bytes)
    try await open()
    let noted = try Inspector(path: path).query { $0.declared }
    #expect(noted.map(\.field.name) == ["lines", "others", "owner", "person"])
    try await open()
    #expect(try Inspector(path: path).query { $0.declared } == noted)
    #expect(try Inspector(path: path).info().revision == before)
    let columns = try StoreQuery(path: path).run("SELECT * FROM phones").columns
    #expect(columns == ["id", "person", "others", "owner", "lines", "note"])
    // The former build finds nothing that is new to it.
    let persistence = try await Persistence.open(
      at: path,
      initialState: State<Former>(),
      database: \.db,
      with: [.migrations([])]
    )
    #expect(persistence.initialState.db.phones["p1"]?.person == "u1")
    try await persistence.close()
    #expect(try Inspector(path: path).query { $0.declared } == noted)
  }

  @Test func `what a script says of a column holds against the type`() async throws {
    let tags = try DataMigration(
      "0001_phones",
      sql: """
        -- strata:allow dangling(phones.person)
        CREATE TABLE phones(id TEXT, person TEXT REFERENCES tags(id), others JSON, note TEXT);
        INSERT INTO phones VALUES ('p1', 'u1', '[]', '');
        """
    )
    let path = directory.path("other.strata")
    try await FiveReleases.makeFirst(at: path, users: 1)
    try await DataMigrator([tags], at: path).up()
    try await open(at: path)
    #expect(try references(at: path) == ["others[] → users", "person → tags"])
  }

  @Test func `a column that was dropped is not noted for an older build that has it`() async throws
  {
    let drop = try DataMigration(
      "0001_no_person",
      sql: "-- strata:allow destructive(phones.person)\nALTER TABLE phones DROP COLUMN person"
    )
    try await DataMigrator([drop], at: path).up()
    try await open()
    #expect(try references() == ["lines[].user → users", "others[] → users", "owner.user → users"])
  }
}
