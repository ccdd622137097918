package import Strata

/// The databases of a file with every kind of value, and every commit that is made to them.
package enum Golden {
  /// The schema of the first build.
  package struct First: DatabaseType {
    package var notes = EntityTable<FirstNote>()
    package var authors = EntityTable<Author>()

    package init() {}

    package static let schema = DatabaseSchema<First> {
      Entities(\.notes)
      Entities(\.authors)
    }
  }

  /// The schema of the second build: notes have more fields, and there are more tables.
  package struct Second: DatabaseType {
    package var notes = EntityTable<SecondNote>()
    package var authors = EntityTable<Author>()
    package var books = EntityTable<Book>()
    package var loans = EntityTable<Loan>()
    package var moods = EntityTable<Mood>()
    package var scalars = EntityTable<Specimen<CodableFixtures.Scalars>>()
    package var kinds = EntityTable<Specimen<CodableFixtures.Kinds>>()
    package var optionals = EntityTable<Specimen<CodableFixtures.Optionals>>()
    package var dictionaries = EntityTable<Specimen<CodableFixtures.Dictionaries>>()
    package var enums = EntityTable<Specimen<CodableFixtures.Enums>>()
    package var empties = EntityTable<Specimen<CodableFixtures.Empties>>()
    package var trees = EntityTable<Specimen<CodableFixtures.Tree>>()
    package var unruly = EntityTable<Specimen<CodableFixtures.Unruly>>()
    package var nulls = EntityTable<Specimen<CodableFixtures.Nulls>>()

    package init() {}

    package static let schema = DatabaseSchema<Second> {
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

  package struct FirstNote: EntityType {
    package static let tableName: TableName = "notes"
    package let id: EntityID<FirstNote>
    package var text: String
  }

  package struct SecondNote: DefaultingEntityType {
    package static let tableName: TableName = "notes"
    package static var defaults: SecondNote { SecondNote(id: "", text: "", tags: nil, stars: 3) }
    package let id: EntityID<SecondNote>
    package var text: String
    package var tags: [String]?
    package var stars: Int
  }

  /// An entity whose `encode(to:)` throws for one text.
  package struct Mood: EntityType {
    package static let tableName: TableName = "moods"
    package let id: EntityID<Mood>
    package var text: String

    package struct Unspeakable: Error {}

    package enum CodingKeys: CodingKey { case id, text }

    package init(id: EntityID<Mood>, text: String) {
      self.id = id
      self.text = text
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
      if text == "unspeakable" { throw Unspeakable() }
      try container.encode(text, forKey: .text)
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decode(EntityID<Mood>.self, forKey: .id)
      text = try container.decode(String.self, forKey: .text)
    }
  }

  /// A codable fixture as an entity.
  package struct Specimen<Value: TabledFixture>: EntityType {
    package static var tableName: TableName { Value.tableName }
    package let id: EntityID<Specimen>
    package var value: Value
  }

  package struct State<Database: DatabaseType>: StateType {
    package var db: Database

    package init(db: Database) { self.db = db }
  }
}

/// A codable fixture that has a table.
package protocol TabledFixture: Codable, Equatable, Sendable {
  static var tableName: TableName { get }
}

extension CodableFixtures.Scalars: TabledFixture {
  package static var tableName: TableName { "scalars" }
}
extension CodableFixtures.Kinds: TabledFixture {
  package static var tableName: TableName { "kinds" }
}
extension CodableFixtures.Optionals: TabledFixture {
  package static var tableName: TableName { "optionals" }
}
extension CodableFixtures.Dictionaries: TabledFixture {
  package static var tableName: TableName { "dictionaries" }
}
extension CodableFixtures.Enums: TabledFixture {
  package static var tableName: TableName { "enums" }
}
extension CodableFixtures.Empties: TabledFixture {
  package static var tableName: TableName { "empties" }
}
extension CodableFixtures.Tree: TabledFixture {
  package static var tableName: TableName { "trees" }
}
extension CodableFixtures.Unruly: TabledFixture {
  package static var tableName: TableName { "unruly" }
}
extension CodableFixtures.Nulls: TabledFixture {
  package static var tableName: TableName { "nulls" }
}
