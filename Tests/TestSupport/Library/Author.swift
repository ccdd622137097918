package import Strata

/// An author of books: an entity with a text as its ID.
package struct Author: EntityType {
  package static let tableName: TableName = "authors"

  package let id: EntityID<Author>
  package var name: String

  package init(id: EntityID<Author>, name: String = "") {
    self.id = id
    self.name = name
  }
}
