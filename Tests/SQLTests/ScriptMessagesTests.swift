import Foundation
import ProductSupport
import Strata
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataScripts
import TestSupport
import Testing

/// What the errors and findings of a script say: the cause that is there, and the remedy in SQL.
struct ScriptMessagesTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 2)
  }

  private func migrator(_ sql: String) throws -> DataMigrator {
    DataMigrator([try DataMigration("0001_script", sql: sql)], at: path)
  }

  /// Why a script failed.
  private func failure(_ sql: String) async throws -> String? {
    do {
      try await migrator(sql).up()
      return nil
    } catch let error as PersistenceError {
      guard case .failed("0001_script", let detail)? = error.dataMigration else {
        throw error
      }
      return detail
    }
  }

  @Test
  func `a column that is NOT NULL where there are records needs a default`() async throws {
    #expect(
      try await failure("-- first\nALTER TABLE users ADD COLUMN email TEXT NOT NULL;")
        == """
        line 2: Cannot add a NOT NULL column with default value NULL; the table has records, which need a value: write NOT \
        NULL DEFAULT and one
        """
    )
    #expect(try await failure("ALTER TABLE users ADD COLUMN email TEXT NOT NULL DEFAULT ''") == nil)
  }

  @Test(
    arguments: [
      ("ADD COLUMN mail TEXT UNIQUE", "leave it out"),
      ("ADD COLUMN made TEXT DEFAULT CURRENT_TIMESTAMP", "add it without the DEFAULT"),
      ("ADD COLUMN made TEXT DEFAULT (datetime('now'))", "add it without the DEFAULT"),
      ("ADD COLUMN loud TEXT AS (upper(name)) STORED", "leave out STORED"),
      ("ADD COLUMN k INTEGER PRIMARY KEY", "the column id is the key"),
      ("DROP COLUMN id", "the column id is the key"),
      ("RENAME COLUMN nme TO title", "did you mean name?"),
      ("RENAME TO Users", "rename the table to a third name first"),
    ]
  )
  func `what SQLite does not do to a table has a way on`(
    _ change: String,
    _ way: String
  ) async throws {
    #expect(try await failure("ALTER TABLE users \(change)")?.contains(way) == true)
  }

  @Test(arguments: [
    "ALTER TABLE users ADD COLUMN mail TEXT; CREATE UNIQUE INDEX mails ON users(mail)",
    "ALTER TABLE users ADD COLUMN made TEXT; UPDATE users SET made = '2026-02-03'",
    "ALTER TABLE users ADD COLUMN loud TEXT AS (upper(name))",
    "ALTER TABLE users RENAME TO other; ALTER TABLE other RENAME TO Users",
  ])
  func `the ways on work`(_ script: String) async throws {
    #expect(try await failure(script) == nil)
  }

  @Test
  func `a column that is NOT NULL where there are no records is a finding`() async throws {
    let sql = "DELETE FROM tags; ALTER TABLE tags ADD COLUMN color TEXT NOT NULL;"
    let step = try #require(try await migrator(sql).plan().steps.first)
    let finding = try #require(step.findings.first { $0.kind == .notNull })
    #expect(finding.isRefused)
    #expect(
      finding.detail == """
        tags.color is NOT NULL without a DEFAULT: tags has no records in this store, and a store that has some refuses \
        the script; write NOT NULL DEFAULT and a value
        """
    )
    #expect(finding.permission == "-- strata:allow not-null(tags.color)")
  }

  @Test
  func `a table that is built again with a value for each record has no such finding`()
    async throws
  {
    let sql = """
      CREATE TABLE new(id TEXT, name TEXT, street TEXT, city TEXT, email TEXT NOT NULL);
      INSERT INTO new SELECT id, name, street, city, name || '@example.org' FROM users;
      DROP TABLE users;
      ALTER TABLE new RENAME TO users;
      """
    let step = try #require(try await migrator(sql).plan().steps.first)
    #expect(step.findings.filter(\.isRefused) == [])
  }

  @Test(
    arguments: [
      ("ALTER TABLE users ADD COLUMN lang TEXT DEFAULT \"en\"", "en", "en"),
      ("ALTER TABLE users ADD COLUMN lang TEXT DEFAULT \"it's\"", "it's", "it''s"),
      ("CREATE TABLE langs(id TEXT, name TEXT NOT NULL DEFAULT \"en\")", "en", "en"),
    ]
  )
  func `a default in double quotes is a name`(
    _ sql: String,
    _ word: String,
    _ text: String
  ) async throws {
    #expect(
      try await failure("\n\(sql)") == """
        line 2: DEFAULT "\(word)": a word in double quotes is a name, not a text: write DEFAULT '\(text)'
        """
    )
  }

  @Test
  func `a text in double quotes is said to be a name`() async throws {
    #expect(
      try await failure("ALTER TABLE users ADD COLUMN lang TEXT DEFAULT (\"en\")")
        == """
        line 1: default value of column [lang] is not constant; a word in double quotes is a name, and a text is written \
        as 'en'
        """
    )
    #expect(
      try await failure("UPDATE users SET city = \"Reykjavik\"")
        == "line 1: no such column: Reykjavik; a word in double quotes is a name, and a text is written 'Reykjavik'"
    )
    #expect(
      try await failure("UPDATE users SET city = \"nam\"")
        == """
        line 1: no such column: nam; did you mean name? a word in double quotes is a name, and a text is written 'nam'
        """
    )
  }
}
