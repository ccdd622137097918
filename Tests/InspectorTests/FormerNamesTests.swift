import Foundation
import Strata
import StrataInspection
import StrataInspector
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import TestSupport
import Testing

/// What fields and entities were called before migrations, also where the deltas of these were trimmed.
struct FormerNamesTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("app.strata") }

  init() throws { directory = try TemporaryDirectory() }

  private static let table = DataMigration("0001_users", .rename("people", to: "users"))

  /// How a step gives fields other names.
  enum Form: CaseIterable {
    case declared, script, renamed

    fileprivate func fields() throws -> DataMigration {
      let names = [("mail", "email"), ("contact", "reach"), ("answers", "replies")]
      switch self {
      case .declared:
        return DataMigration(
          "0002_email",
          .renameField("mail", to: "email", in: "users"),
          .renameField("contact", to: "reach", in: "users"),
          .renameField("answers", to: "replies", in: "users")
        )
      case .script:
        let statements = names.map { "ALTER TABLE users RENAME COLUMN \($0) TO \($1);" }
        return try DataMigration("0002_email", sql: statements.joined(separator: "\n"))
      case .renamed:
        return DataMigration("0002_email", table: "users") { user in
          for (field, name) in names { user.rename(field, to: name) }
        }
      }
    }
  }

  private static func texts(_ person: Int) -> PrivateTexts {
    PrivateTexts(
      mail: "person.\(person)@private.example",
      phone: "+49 30 901820-\(person)",
      notes: "the notes of the person \(person)",
      answers: ["the question for \(person)": "the answer of person \(person)"]
    )
  }

  /// What is done to the journal at the end.
  enum Ending: CaseIterable { case kept, trimmed }

  private func write<Database: PrivateDatabase>(
    _: Database.Type,
    _ migrations: [DataMigration] = [],
    _ ending: Ending = .kept,
    snapshot: String? = nil,
    _ change: @Sendable (inout EntityTable<Database.Person>) -> Void
  ) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: PrivateState<Database>(),
      database: \.db,
      with: migrations.isEmpty ? [] : [.migrations(migrations)]
    )
    let store = Store<PrivateState<Database>, Never>(persistence)
    store.commit { change(&$0.db.people) }
    if let snapshot { _ = try await persistence.snapshot(named: snapshot) }
    if ending == .trimmed { _ = try await persistence.compact() }
    try await persistence.close()
  }

  @Test(arguments: Form.allCases)
  func `a field is redacted by a name from before what was trimmed`(_ form: Form) async throws {
    let texts = Self.texts(1)
    try await write(PrivateBuilds.First.self) { $0.insert(.init(1, texts, friend: nil)) }
    let migrations = [Self.table, try form.fields()]
    try await write(PrivateBuilds.Third.self, migrations, .trimmed) { _ in }
    #expect(try Inspector(path: path).info().journal.deltas == 0)
    let fields = PrivateBuilds.First.Person.paths.map { StoreBundle.Field("people", $0) }
    let rows = try rows(redacting: fields)
    #expect(rows.contains("stays"))
    #expect(texts.all.filter(rows.contains) == [])
    // Nothing else is taken for it.
    #expect(try self.rows(redacting: [fields[0]]).contains(texts.phone))
  }

  private func rows(redacting fields: [StoreBundle.Field]) throws -> String {
    try Answers(StoreReader(path), redacting: fields, .omit)
      .answer(.rows, try Question("table=users")).json
  }

  @Test(arguments: ["people", "users"], Ending.allCases)
  func `a person who was away when the table was renamed is erased under both names`(
    _ table: String,
    _ ending: Ending
  ) async throws {
    let (removed, returned, other) = (Self.texts(1), Self.texts(3), Self.texts(2))
    try await write(PrivateBuilds.First.self, snapshot: "then") { people in
      people.insert(.init(1, removed, friend: nil))
      people.insert(.init(2, other, friend: nil))
    }
    try await write(PrivateBuilds.First.self) { $0.remove(EntityID(1)) }
    try await write(PrivateBuilds.Second.self, [Self.table], ending) { people in
      people.insert(.init(1, returned, friend: nil))
    }
    _ = try StoreErasure.run(
      at: path,
      ErasedEntities([.init(table: table, meantBy: "1")]),
      .leave
    )
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    func isThere(_ text: String) -> Bool { bytes.range(of: Data(text.utf8)) != nil }
    #expect((removed.all + returned.all).filter(isThere) == [])
    #expect(other.all.filter(isThere) == other.all)
    #expect(try Inspector(path: path).verify().isSound)
  }
}
