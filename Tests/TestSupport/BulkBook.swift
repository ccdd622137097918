import Foundation
import Strata

/// How many entities very many are; a sanitizer run takes fewer.
package let bulkCount =
  Int(ProcessInfo.processInfo.environment["STRATA_BULK"] ?? "") ?? 300_000

/// The book with this number in a commit of very many.
package func bulkBook(_ number: Int) -> Book {
  Book(
    id: EntityID(1_000_000 + number),
    title: "Volume \(number)",
    author: EntityID("author-\(number % 100)"),
    rating: Double(number)
  )
}
