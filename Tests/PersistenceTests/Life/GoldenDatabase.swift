import Foundation
import Strata
import TestSupport

/// The databases of the golden file, and every commit that was made to them.
///
/// Nothing here may ever change, because the file was made of it. A later format gets its own file and list.
enum Golden {
  /// The schema of the first build.
  struct First: DatabaseType {
    var notes = EntityTable<FirstNote>()
    var authors = EntityTable<Author>()

    static let schema = DatabaseSchema<First> {
      Entities(\.notes)
      Entities(\.authors)
    }
  }

  /// The schema of the second build: notes have more fields, and there are more tables.
  struct Second: DatabaseType {
    var notes = EntityTable<SecondNote>()
    var authors = EntityTable<Author>()
    var books = EntityTable<Book>()
    var loans = EntityTable<Loan>()
    var moods = EntityTable<Mood>()
    var scalars = EntityTable<Specimen<CodableFixtures.Scalars>>()
    var kinds = EntityTable<Specimen<CodableFixtures.Kinds>>()
    var optionals = EntityTable<Specimen<CodableFixtures.Optionals>>()
    var dictionaries = EntityTable<Specimen<CodableFixtures.Dictionaries>>()
    var enums = EntityTable<Specimen<CodableFixtures.Enums>>()
    var empties = EntityTable<Specimen<CodableFixtures.Empties>>()
    var trees = EntityTable<Specimen<CodableFixtures.Tree>>()
    var unruly = EntityTable<Specimen<CodableFixtures.Unruly>>()
    var nulls = EntityTable<Specimen<CodableFixtures.Nulls>>()

    static let schema = DatabaseSchema<Second> {
      Entities(\.notes)
      Entities(\.authors)
      Entities(\.books)
      Entities(\.loans)
      Entities(\.moods)
      Entities(\.scalars)
      Entities(\.kinds)
      Entities(\.optionals)
      Entities(\.dictionaries)
      Entities(\.enums)
      Entities(\.empties)
      Entities(\.trees)
      Entities(\.unruly)
      Entities(\.nulls)
    }
  }

  struct FirstNote: EntityType {
    static let tableName: TableName = "notes"
    let id: EntityID<FirstNote>
    var text: String
  }

  struct SecondNote: DefaultingEntityType {
    static let tableName: TableName = "notes"
    static var defaults: SecondNote { SecondNote(id: "", text: "", tags: nil, stars: 3) }
    let id: EntityID<SecondNote>
    var text: String
    var tags: [String]?
    var stars: Int
  }

  /// An entity whose `encode(to:)` throws for one text.
  struct Mood: EntityType {
    static let tableName: TableName = "moods"
    let id: EntityID<Mood>
    var text: String

    struct Unspeakable: Error {}

    enum CodingKeys: CodingKey { case id, text }

    init(id: EntityID<Mood>, text: String) {
      self.id = id
      self.text = text
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      if text == "unspeakable" { throw Unspeakable() }
      try container.encode(text, forKey: .text)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(EntityID<Mood>.self, forKey: .id)
      text = try container.decode(String.self, forKey: .text)
    }
  }

  /// A codable fixture as an entity.
  struct Specimen<Value: TabledFixture>: EntityType {
    static var tableName: TableName { Value.tableName }
    let id: EntityID<Specimen>
    var value: Value
  }

  struct State<Database: DatabaseType>: StateType {
    var db: Database
  }
}

/// A codable fixture that has a table.
protocol TabledFixture: Codable, Equatable, Sendable {
  static var tableName: TableName { get }
}

extension CodableFixtures.Scalars: TabledFixture { static var tableName: TableName { "scalars" } }
extension CodableFixtures.Kinds: TabledFixture { static var tableName: TableName { "kinds" } }
extension CodableFixtures.Optionals: TabledFixture {
  static var tableName: TableName { "optionals" }
}
extension CodableFixtures.Dictionaries: TabledFixture {
  static var tableName: TableName { "dictionaries" }
}
extension CodableFixtures.Enums: TabledFixture { static var tableName: TableName { "enums" } }
extension CodableFixtures.Empties: TabledFixture { static var tableName: TableName { "empties" } }
extension CodableFixtures.Tree: TabledFixture { static var tableName: TableName { "trees" } }
extension CodableFixtures.Unruly: TabledFixture { static var tableName: TableName { "unruly" } }
extension CodableFixtures.Nulls: TabledFixture { static var tableName: TableName { "nulls" } }
