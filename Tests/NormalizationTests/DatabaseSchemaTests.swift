import StrataNormalization
import TestSupport
import Testing

@Suite struct DatabaseSchemaTests {
  @Test func `the tables of a schema are in the order of their names`() {
    #expect(
      LibraryDatabase.schema.tables.map(\.name) == ["archived_books", "authors", "books", "loans"]
    )
  }

  @Test func `a table is found by its name`() {
    #expect(LibraryDatabase.schema.table(named: "archived_books")?.name == "archived_books")
  }

  @Test func `a name that the schema does not have finds nothing`() {
    #expect(LibraryDatabase.schema.table(named: "shelves") == nil)
  }

  @Test func `names are ordered by their bytes`() {
    #expect((["b", "a", "B", "é"] as [TableName]).sorted() == ["B", "a", "b", "é"])
  }

  @Test func `two tables of one name trap and say what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = DatabaseSchema<LibraryDatabase> {
        Entities(\.books)
        Entities(\.archivedBooks)
      }
    }
    #expect(
      result?.standardErrorContent.text.contains(
        """
        The schema of LibraryDatabase has two tables named "books". Give one of them another name: \
        Entities(\\.table, named: "other_name").
        """
      ) == true
    )
  }

  @Test func `an empty table name traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = TableName("")
    }
    #expect(
      result?.standardErrorContent.text.contains("A table's name must not be empty") == true
    )
  }
}
