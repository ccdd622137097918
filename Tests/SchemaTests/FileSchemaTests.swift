import StrataBase
import StrataSQLite
import StrataSchema
import TestSupport
import Testing

@Suite struct FileSchemaTests {
  /// The statements that make the newest schema in one step.
  private func statements() throws -> [String] {
    let connection = try Connection.inMemory()
    try Migrator(catalog: .file, now: { 0 }).migrate(connection)
    return try connection.all("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL") { row in
      try row.text(0)
    }
  }

  private func difference(of statements: [String]) throws -> String? {
    let connection = try Connection.inMemory()
    for statement in statements { try connection.execute(statement) }
    let difference = try newest().difference(of: connection)
    if difference != nil { #expect(try !FileSchema.isNewest(in: connection)) }
    return difference
  }

  private func newest() throws -> FileSchema {
    try FileSchema(madeBy: .file)
  }

  @Test func `the checksum that is written down is that of the schema that the migrations make`()
    throws
  {
    let checksum = try newest().checksum.description
    #expect(checksum == FileSchema.newestChecksum)
    let connection = try Connection.inMemory()
    try Migrator(catalog: .file, now: { 0 }).migrate(connection)
    #expect(try FileSchema.isNewest(in: connection))
    try connection.execute("CREATE INDEX more ON delta (name)")
    #expect(try !FileSchema.isNewest(in: connection))
  }

  @Test func `comments and spacing make no difference`() throws {
    let statements = try statements()
    #expect(try difference(of: statements) == nil)
    let windows = statements.map { $0.replacing("\n", with: "\r\n") }
    #expect(try difference(of: windows) == nil)
    let spaced = statements.map { $0.replacing("(", with: " ( /* more */ ") }
    #expect(try difference(of: spaced) == nil)
  }

  @Test func `every statement counts, and all of it`() throws {
    let statements = try statements()
    #expect(statements.count == 18)
    for (number, statement) in statements.enumerated() {
      let name = String(statement.split(separator: " ")[2])
      var others = statements
      if statement.hasPrefix("CREATE TABLE") {
        others[number] = statement.replacing(" (", with: " (more BLOB, ", maxReplacements: 1)
        #expect(try difference(of: others) == "the table \(name) is not as Strata makes it")
        others = statements.filter { !$0.contains(" \(name) (") && !$0.contains(" ON \(name) ") }
      } else {
        others.remove(at: number)
      }
      let found = try difference(of: others)
      #expect(found?.hasSuffix("is missing") == true, "\(name): \(found ?? "no difference")")
    }
    let more = "CREATE INDEX more ON delta (name)"
    #expect(try difference(of: statements + [more]) == "it has a foreign index more")
  }
}
