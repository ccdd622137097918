import Strata

/// What the benchmarks of indexes store: an entity in one of many folders.
struct Filed: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "filed"

  let id: EntityID<Filed>
  var folder: Int
  var title: String

  static let byFolder = GroupIndex(\Filed.folder)
  static let indexes: EntityIndexes<Filed> = [byFolder]
}

/// The same without an index.
struct Loose: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "loose"

  let id: EntityID<Loose>
  var folder: Int
  var title: String
}
