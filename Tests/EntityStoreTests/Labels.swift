import StrataCore
import StrataNormalization

/// An entity whose `==` compares only the ID.
struct Label: EntityType {
  static let tableName: TableName = "labels"

  let id: EntityID<Label>
  var text = ""

  static func == (a: Label, b: Label) -> Bool { a.id == b.id }
}

/// An entity that may be unequal to itself, with padding between its fields.
struct Reading: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "readings"

  let id: EntityID<Reading>
  var isGood = true
  var value = 0.0
  var unit: UInt8 = 0
  var note: String?
}

struct LabelDatabase: DatabaseType {
  var labels = EntityTable<Label>()
  var readings = EntityTable<Reading>()

  static let schema = DatabaseSchema<LabelDatabase> {
    Entities(\.labels)
    Entities(\.readings)
  }
}

struct LabelState: StateType {
  var db = LabelDatabase()
  var count = 0
}

final class LabelStore: Store<LabelState, Never>, @unchecked Sendable {
  init() {
    super.init(initialState: LabelState())
  }
}
