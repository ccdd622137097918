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
    case declared, script, renamed, moved, copied

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
      case .moved:
        return DataMigration("0002_email", table: "users") { user in
          for (field, name) in names {
            user[name] = user[field]
            user.remove(field)
          }
        }.allowing(
          .destructive("users.mail"),
          .destructive("users.contact"),
          .destructive("users.answers")
        )
      case .copied:
        return DataMigration("0002_email", table: "users") { user in
          for (field, name) in names { user[name] = user[field] }
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

  @Test func `a migration whose delta is trimmed while the page is served is not missed`()
    async throws
  {
    let texts = Self.texts(1)
    try await write(PrivateBuilds.Second.self) { $0.insert(.init(1, texts, friend: nil)) }
    let fields = PrivateBuilds.Second.Person.paths.map { StoreBundle.Field("users", $0) }
    let answers = try Answers(StoreReader(path), redacting: fields, .omit)
    let migrations = [
      DataMigration("0001_nothing", table: "users") { _ in }, try Form.copied.fields(),
    ]
    try await write(PrivateBuilds.Third.self, migrations, .trimmed) { _ in }
    let rows = try answers.answer(.rows, try Question("table=users")).json
    #expect(rows.contains("stays"))
    #expect(texts.all.filter(rows.contains) == [])
  }

  private func rows(
    redacting fields: [StoreBundle.Field],
    of table: String = "users"
  ) throws -> String {
    try Answers(StoreReader(path), redacting: fields, .omit)
      .answer(.rows, try Question("table=\(table)")).json
  }

  /// What a closure makes of an address, so that no field has it in every record.
  enum Use: CaseIterable {
    /// Some records have it in another field, which was there before.
    case merged
    /// Each value is another one.
    case changed
    /// Most records have it in two fields, one of them changed.
    case split
    /// The address of one record is in a record of another table.
    case elsewhere
    /// Two fields have become parts of one.
    case joined
    /// The way back has put it into another field.
    case takenBack

    fileprivate var migration: DataMigration {
      switch self {
      case .merged:
        DataMigration("0002_use", table: "users") { user in
          if user["mail"] != .string(FormerNamesTests.texts(2).mail) {
            user["plain"] = user["mail"]
          }
          user.remove("mail")
        }.allowing(.lossy("users.plain"), .destructive("users.mail"))
      case .changed:
        DataMigration("0002_use", table: "users") { user in
          user["plain"] = .string("to: " + (try user.value(String.self, of: "mail") ?? ""))
          user.remove("mail")
        }.allowing(.destructive("users.mail"))
      case .split:
        DataMigration("0002_use", table: "users") { user in
          user["email"] = user["mail"]
          user["plain"] = .string("to: " + (try user.value(String.self, of: "mail") ?? ""))
          user.remove("mail")
        }.allowing(.destructive("users.mail"))
      case .elsewhere:
        DataMigration("0002_use") { tables in
          var mails: [RecordValue] = []
          try tables.forEach(in: "users") { user in
            if let mail = user["mail"] { mails.append(mail) }
            user.remove("mail")
          }
          for (index, mail) in mails.enumerated() {
            let id = RecordValue.int(Int64(index), .bits64)
            try tables.put(
              MigrationRecord(table: "addresses", id: id, [.init("id", id), .init("text", mail)])
            )
          }
        }.allowing(.destructive("users.mail"))
      case .joined:
        DataMigration("0002_use", table: "users") { user in
          try user.set(
            "plain",
            to: ["mail": try user.value(String.self, of: "mail"), "plain": "kept"]
          )
          user.remove("mail")
        }.allowing(.lossy("users.plain"), .destructive("users.mail"))
      case .takenBack:
        DataMigration("0002_use", table: "users") { $0.rename("mail", to: "email") }
          .reversed(table: "users") { user in
            user["plain"] = user["email"]
            user.remove("email")
          }.allowing(.destructive("users.email"))
      }
    }
  }

  @Test(arguments: Use.allCases)
  func `an address is redacted by its former name where a closure has put it`(
    _ use: Use
  ) async throws {
    try await write(PrivateBuilds.First.self, snapshot: "then") { people in
      for person in 1...2 { people.insert(.init(person, Self.texts(person), friend: nil)) }
    }
    let migrator = DataMigrator([Self.table, use.migration], at: path)
    try await migrator.up()
    if use == .takenBack { try await migrator.down() }
    // A program that has other tables.
    var configuration = PersistenceConfiguration()
    configuration.unknownTables = .keep
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.migrations(.external)]
    )
    _ = try await persistence.compact()
    try await persistence.close()
    #expect(try Inspector(path: path).info().journal.deltas == 0)
    let table = use == .elsewhere ? "addresses" : "users"
    let mail = Self.texts(1).mail
    #expect(try rows(redacting: [], of: table).contains(mail))
    #expect(try !rows(redacting: [.init("people", "mail")], of: table).contains(mail))
    if use == .joined {
      let then = try rows(redacting: [.init("users", "plain.mail")], of: "people&at=snap:then")
      #expect(then.contains(Self.texts(1).phone) && !then.contains(mail), "\(then)")
    }
    // The names of others do not lead to it.
    #expect(try rows(redacting: [.init("users", "contact.phone")], of: table).contains(mail))
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
