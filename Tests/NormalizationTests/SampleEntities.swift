import Foundation
import StrataNormalization

/// An entity whose `==` compares only the ID, as in some domains.
struct Label: EntityType {
  static let tableName: TableName = "labels"

  let id: EntityID<Label>
  var text: String

  static func == (a: Label, b: Label) -> Bool { a.id == b.id }
}

struct LabelDatabase: DatabaseType {
  var labels = EntityTable<Label>()

  static let schema = DatabaseSchema<LabelDatabase> { Entities(\.labels) }
}

/// An entity with an ID that encoders treat specially.
struct Blob: EntityType {
  typealias RawID = Data
  static let tableName: TableName = "blobs"

  let id: EntityID<Blob>
}

/// An entity that counts how often entities of its type were compared.
struct Counted: EntityType {
  static let tableName: TableName = "counted"

  let id: EntityID<Counted>
  var text = ""

  @TaskLocal static var didCompare: @Sendable () -> Void = {}

  static func == (a: Counted, b: Counted) -> Bool {
    didCompare()
    return a.id == b.id && a.text == b.text
  }
}

struct CountedDatabase: DatabaseType {
  var counted = EntityTable<Counted>()

  static let schema = DatabaseSchema<CountedDatabase> { Entities(\.counted) }
}
