package import Strata

/// A book of an author: an entity with a number as its ID.
package struct Book: EntityType {
  package typealias RawID = Int
  package static let tableName: TableName = "books"

  package let id: EntityID<Book>
  package var title: String
  package var author: Author.ID
  package var rating: Double?

  package init(
    id: EntityID<Book>,
    title: String = "",
    author: Author.ID = "unknown",
    rating: Double? = nil
  ) {
    self.id = id
    self.title = title
    self.author = author
    self.rating = rating
  }
}
