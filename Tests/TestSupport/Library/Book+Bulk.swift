import Foundation
import Strata

/// The number of entities in a very large commit; smaller for a sanitizer.
package let bulkCount =
  Int(ProcessInfo.processInfo.environment["STRATA_BULK"] ?? "") ?? 300_000

/// The book with a number in a very large commit.
package func bulkBook(_ number: Int) -> Book {
  Book(
    id: EntityID(1_000_000 + number),
    title: "Volume \(number)",
    author: EntityID("author-\(number % 100)"),
    rating: Double(number)
  )
}
