import Strata

/// The book with this number in a commit of very many.
package func bulkBook(_ number: Int) -> Book {
  Book(
    id: EntityID(1_000_000 + number),
    title: "Volume \(number)",
    author: EntityID("author-\(number % 100)"),
    rating: Double(number)
  )
}
