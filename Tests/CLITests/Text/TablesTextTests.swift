import Foundation
import Strata
import StrataCLI
import StrataInspection
import Testing

@Suite struct TablesTextTests {
  @Test func `a field shows the tables that it refers to`() throws {
    let json = """
      {"name": "books", "kind": "entities", "count": 2, "bytes": 50, "fields": [
        {"name": "id", "kind": "int64"},
        {"name": "author", "kind": "string", "references": "authors"},
        {"name": "seen", "kind": "any", "references": "keys users and values books"}]}
      """
    let table = try JSONDecoder().decode(TableSummary.self, from: Data(json.utf8))
    let rows = TablesText.table([table], within: 200).rows
    #expect(
      rows.first?.last
        == "id int64, author string → authors, seen any → keys users and values books"
    )
  }
}
