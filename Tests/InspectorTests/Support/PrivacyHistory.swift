import Foundation
import Strata
import StrataMaintenance
import StrataMigrating
import StrataMigrations
import TestSupport

/// The values of a person that nobody else is to see.
struct PrivateTexts: Sendable {
  var mail: String
  var phone: String
  var notes: String?
  var answers: [String: String]

  var all: [String] { [mail, phone] + [notes].compactMap { $0 } + answers.keys + answers.values }
}

/// A step of a job, with a text in one of its cases.
enum PrivateStatus: Codable, Equatable, Sendable {
  case open
  case done(notes: String)
}

/// A person in one of several builds, which have other names for the same.
protocol PrivatePerson: EntityType where RawID == Int {
  /// The paths of its private values.
  static var paths: [String] { get }
  init(_ id: Int, _ texts: PrivateTexts, friend: Int?)
}

/// The database of a build.
protocol PrivateDatabase: DatabaseType {
  associatedtype Person: PrivatePerson
  var people: EntityTable<Person> { get set }
}

struct PrivateState<Database: PrivateDatabase>: StateType {
  var db = Database()
}

/// The builds: the table has another name in the second, the fields have in the third.
enum PrivateBuilds {
  struct First: PrivateDatabase {
    struct Person: PrivatePerson {
      struct Contact: Codable, Equatable, Sendable {
        var phone: String
        var friend: EntityID<Person>?
      }

      static let tableName: TableName = "people"
      static let paths = ["mail", "contact.phone", "status.done.notes", "answers"]
      let id: EntityID<Person>
      var mail: String
      var contact: Contact
      var status: PrivateStatus
      var answers: [String: String]
      var plain = "stays"

      init(_ id: Int, _ texts: PrivateTexts, friend: Int?) {
        self.id = EntityID(id)
        mail = texts.mail
        contact = Contact(phone: texts.phone, friend: friend.map { EntityID($0) })
        status = texts.notes.map { .done(notes: $0) } ?? .open
        answers = texts.answers
      }
    }

    var people = EntityTable<Person>()
    static let schema = DatabaseSchema<First> { Entities(\.people) }
  }

  struct Second: PrivateDatabase {
    struct Person: PrivatePerson {
      struct Contact: Codable, Equatable, Sendable {
        var phone: String
        var friend: EntityID<Person>?
      }

      static let tableName: TableName = "users"
      static let paths = First.Person.paths
      let id: EntityID<Person>
      var mail: String
      var contact: Contact
      var status: PrivateStatus
      var answers: [String: String]
      var plain = "stays"

      init(_ id: Int, _ texts: PrivateTexts, friend: Int?) {
        self.id = EntityID(id)
        mail = texts.mail
        contact = Contact(phone: texts.phone, friend: friend.map { EntityID($0) })
        status = texts.notes.map { .done(notes: $0) } ?? .open
        answers = texts.answers
      }
    }

    var people = EntityTable<Person>()
    static let schema = DatabaseSchema<Second> { Entities(\.people) }
  }

  struct Third: PrivateDatabase {
    struct Person: PrivatePerson {
      struct Contact: Codable, Equatable, Sendable {
        var phone: String
        var friend: EntityID<Person>?
      }

      static let tableName: TableName = "users"
      static let paths = ["email", "reach.phone", "status.done.notes", "replies"]
      let id: EntityID<Person>
      var email: String
      var reach: Contact
      var status: PrivateStatus
      var replies: [String: String]
      var plain = "stays"

      init(_ id: Int, _ texts: PrivateTexts, friend: Int?) {
        self.id = EntityID(id)
        email = texts.mail
        reach = Contact(phone: texts.phone, friend: friend.map { EntityID($0) })
        status = texts.notes.map { .done(notes: $0) } ?? .open
        replies = texts.answers
      }
    }

    var people = EntityTable<Person>()
    static let schema = DatabaseSchema<Third> { Entities(\.people) }
  }
}

/// A store with a generated history of people, whose private values are known.
struct PrivacyHistory {
  let path: String
  private(set) var random: SeededGenerator
  /// The private values of each person in all of its versions.
  private(set) var texts: [Int: Set<String>] = [:]
  /// All IDs that people have had.
  private(set) var allIDs: Set<Int> = []
  /// The IDs that people have now.
  private(set) var ids: [Int: Int] = [:]
  /// Those who are there now.
  private var present: Set<Int> = []
  /// The last build.
  private(set) var table = "people"
  private(set) var paths = PrivateBuilds.First.Person.paths
  private var migrations: [DataMigration] = []

  init(at path: String, _ random: SeededGenerator) {
    (self.path, self.random) = (path, random)
  }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  mutating func shuffled<T>(_ elements: [T]) -> [T] { elements.shuffled(using: &random) }

  /// Writes the file: up to three builds, with migrations between them.
  mutating func write() async throws {
    try await writeFirst()
    if number(0...5) == 0 { return }
    try await writeSecond()
    if number(0...3) > 0 { try await writeThird() }
  }

  mutating func writeFirst() async throws { try await write(PrivateBuilds.First.self) }

  mutating func writeSecond() async throws {
    migrations.append(DataMigration(name("users"), .rename("people", to: "users")))
    addMove()
    try await write(PrivateBuilds.Second.self)
  }

  mutating func writeThird() async throws {
    migrations.append(fields())
    addMove()
    try await write(PrivateBuilds.Third.self)
  }

  /// A migration that gives fields other names: it declares them, or a closure renames, moves or copies their values.
  private mutating func fields() -> DataMigration {
    // A closure says nothing where there is nobody.
    let (name, form) = (name("email"), present.isEmpty ? 0 : number(0...3))
    let names = [("mail", "email"), ("contact", "reach"), ("answers", "replies")]
    if form == 0 {
      return DataMigration(
        name,
        .renameField("mail", to: "email", in: "users"),
        .renameField("contact", to: "reach", in: "users"),
        .renameField("answers", to: "replies", in: "users")
      )
    }
    return DataMigration(name, table: "users") { user in
      for (field, name) in names {
        if form == 1 {
          user.rename(field, to: name)
        } else {
          user[name] = user[field]
          if form == 2 { user.remove(field) }
        }
      }
    }.allowing(
      .destructive("users.mail"),
      .destructive("users.contact"),
      .destructive("users.answers")
    )
  }

  /// The name of the next migration.
  private func name(_ what: String) -> String { "000\(migrations.count + 1)_\(what)" }

  /// Adds, at times, a migration that gives everybody another ID.
  private mutating func addMove() {
    guard number(0...2) == 0 else { return }
    let step = 1_000 * number(1...9)
    let move = DataMigration(name("ids")) { tables in
      try tables.changeID(of: "users") { record in
        guard case .int(let number, let width) = record.id else { return record.id }
        return .int(number + Int64(step), width)
      }
    }
    migrations.append(move)
    // Who is not there when the others get their IDs keeps his own, under which he may come back.
    for person in present { ids[person]? += step }
    allIDs.formUnion(ids.values)
  }

  private mutating func write<Database: PrivateDatabase>(_: Database.Type) async throws {
    table = Database.Person.tableName.text
    paths = Database.Person.paths
    var configuration = MigrationConfiguration()
    configuration.backups = .none
    let persistence = try await Persistence.open(
      at: path,
      initialState: PrivateState<Database>(),
      database: \.db,
      with: migrations.isEmpty ? [] : [.migrations(migrations, configuration)]
    )
    let store = Store<PrivateState<Database>, Never>(persistence)
    for _ in 0..<number(1...4) {
      store.commit { state in
        for _ in 0..<number(1...3) { change(&state.db.people) }
      }
      if number(0...5) == 0 { _ = try await persistence.snapshot(named: "s\(number(0...999))") }
      if number(0...7) == 0 { _ = try await persistence.compact() }
    }
    try await persistence.close()
  }

  private mutating func change<Person: PrivatePerson>(_ people: inout EntityTable<Person>) {
    let person = number(1...4)
    if let id = ids[person], number(0...3) == 0 {
      people.remove(EntityID(id))
      present.remove(person)
      return
    }
    // A person that was removed may come back.
    let id = ids[person] ?? person
    ids[person] = id
    present.insert(person)
    allIDs.insert(id)
    let values = privateTexts()
    texts[person, default: []].formUnion(values.all)
    people.insert(Person(id, values, friend: ids.values.min()))
  }

  private mutating func privateTexts() -> PrivateTexts {
    var answers: [String: String] = [:]
    for _ in 0..<number(0...2) { answers[text()] = text() }
    return PrivateTexts(
      mail: text(),
      phone: text(),
      notes: number(0...1) == 0 ? text() : nil,
      answers: answers
    )
  }

  private static let letters = Array(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 äß語@.-"
  )

  /// A text of at least 16 bytes, which no other is like.
  private mutating func text() -> String {
    String((0..<number(18...40)).map { _ in Self.letters[number(0...Self.letters.count - 1)] })
  }
}
