import Foundation
import Strata
import StrataMigrations

/// What has changed in the stored data since the first version.
let migrations = [
  DataMigration("0001_authors", table: "books") { book in
    guard let author = try book.value(String.self, of: "author") else { return }
    try book.set("authors", to: author.components(separatedBy: " and "))
    book.remove("author")
  }
  .allowing(.destructive("books.author"))
]
