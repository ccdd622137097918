import Strata

struct SampleDatabase: DatabaseType {
  var users = EntityTable<User>()
  var notes = EntityTable<Note>()

  static let schema = DatabaseSchema<SampleDatabase> {
    Entities(\.users)
    Entities(\.notes)
  }
}
