import Strata
package import StrataMigrating
import StrataRecords

/// Migrations of the sample domain.
package enum LibraryMigrations {
  /// The mark that each title ends with after them.
  package static let mark = " (2)"

  /// Two steps: each book's title gets a mark, in two parts.
  package static let all = [
    DataMigration("0001_first_part", table: "books") { book in
      book["title"] = book["title"]?.text.map { .string($0 + " (") }
    }.reversed(table: "books") { book in
      book["title"] = book["title"]?.text.map { .string(String($0.dropLast(2))) }
    },
    DataMigration("0002_second_part", table: "books") { book in
      book["title"] = book["title"]?.text.map { .string($0 + "2)") }
    }.reversed(table: "books") { book in
      book["title"] = book["title"]?.text.map { .string(String($0.dropLast(2))) }
    },
  ]
}
