import Strata

/// A document in one of many folders, with an index by folder.
struct IndexedDocument: EntityType {
  typealias RawID = Int64

  static let tableName: TableName = "indexed_documents"

  let id: EntityID<IndexedDocument>
  var folder: Int
  var title: String

  static let byFolder = GroupIndex(\IndexedDocument.folder)
  static let indexes: EntityIndexes<IndexedDocument> = [byFolder]
}
