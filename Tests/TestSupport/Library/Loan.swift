package import Foundation
package import Strata

/// A loan of a book: an entity with a UUID as its ID.
package struct Loan: EntityType {
  package typealias RawID = UUID
  package static let tableName: TableName = "loans"

  package let id: EntityID<Loan>
  package var book: Book.ID

  package init(id: EntityID<Loan>, book: Book.ID) {
    self.id = id
    self.book = book
  }
}
