import Strata

/// A document in one of many folders, without an index.
struct UnindexedDocument: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "unindexed_documents"

  let id: EntityID<UnindexedDocument>
  var folder: Int
  var title: String
}
