import Foundation
import Strata
import TestSupport

/// The databases of the golden file, and every commit that was made to them.
///
/// Nothing here may ever change: the file was made of it. A later format gets a file and a list of its
/// own beside these.
enum Golden {
  /// What the first build knew.
  struct First: DatabaseType {
    var notes = EntityTable<FirstNote>()
    var authors = EntityTable<Author>()

    static let schema = DatabaseSchema<First> {
      Entities(\.notes)
      Entities(\.authors)
    }
  }

  /// What the second build knows: notes have more fields, and there are more tables.
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

  /// An entity that refuses to be encoded in one mood.
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

  /// A value of the record zoo as an entity.
  struct Specimen<Value: ZooSpecies>: EntityType {
    static var tableName: TableName { Value.tableName }
    let id: EntityID<Specimen>
    var value: Value
  }

  struct State<Database: DatabaseType>: StateType {
    var db: Database
  }
}

/// A type of the record zoo that has a table.
protocol ZooSpecies: Codable, Equatable, Sendable {
  static var tableName: TableName { get }
}

extension CodableFixtures.Scalars: ZooSpecies { static var tableName: TableName { "scalars" } }
extension CodableFixtures.Kinds: ZooSpecies { static var tableName: TableName { "kinds" } }
extension CodableFixtures.Optionals: ZooSpecies { static var tableName: TableName { "optionals" } }
extension CodableFixtures.Dictionaries: ZooSpecies {
  static var tableName: TableName { "dictionaries" }
}
extension CodableFixtures.Enums: ZooSpecies { static var tableName: TableName { "enums" } }
extension CodableFixtures.Empties: ZooSpecies { static var tableName: TableName { "empties" } }
extension CodableFixtures.Tree: ZooSpecies { static var tableName: TableName { "trees" } }
extension CodableFixtures.Unruly: ZooSpecies { static var tableName: TableName { "unruly" } }
extension CodableFixtures.Nulls: ZooSpecies { static var tableName: TableName { "nulls" } }
