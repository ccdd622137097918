import Foundation
import Strata
import StrataInspection
import StrataMaintenance
import StrataMigrations
import TestSupport
import Testing

/// Erasing what had another ID, or was in a table of another name, before a migration.
struct FormerNamesTests {
  let directory: TemporaryDirectory
  let store: String
  private static let secret = "tell nobody 4711"
  private static let other = "a volume that stays"

  init() throws {
    directory = try TemporaryDirectory()
    store = directory.path("app.strata")
  }

  private func makeStore() async throws {
    let persistence = try await Persistence.open(
      at: store,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    store.commit { state in
      state.db.books.insert(Book(id: 1, title: Self.secret))
      state.db.books.insert(Book(id: 2, title: Self.other))
    }
    try await persistence.snapshot(named: "before")
    store.commit { state in
      state.db.books.insert(Book(id: 1, title: Self.secret + ", never"))
      state.db.books.insert(Book(id: 2, title: Self.other + ", always"))
    }
    try await persistence.close()
  }

  /// Opens a store whose migrations ran elsewhere.
  private func open() async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: store,
      initialState: LibraryState(),
      database: \.db,
      with: [.migrations(.external)]
    )
  }

  private func migrate(_ scripts: String...) async throws {
    let folder = directory.path("Migrations")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for (number, script) in scripts.enumerated() {
      let file = folder + "/000\(number + 1)_step.sql"
      try script.write(toFile: file, atomically: true, encoding: .utf8)
    }
    let up = try await Program.strata("migrate", "up", store, "--dir", folder, "--no-backup")
    #expect(up.status == 0, "\(up)")
  }

  /// Which of the two texts the files of a store have.
  private func found(_ path: String) throws -> [String] {
    let bytes = try ["", "-wal", ".head"].filter {
      FileManager.default.fileExists(atPath: path + $0)
    }
    .reduce(into: Data()) { try $0.append(Data(contentsOf: URL(fileURLWithPath: path + $1))) }
    return [Self.secret, Self.other].filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  @Test(arguments: [["volumes", "101"], ["books", "1"], ["volumes", "1"]])
  func `all versions go under every name, whichever is given`(name: [String]) async throws {
    try await makeStore()
    let copy = try await Program.strata("backup", store, directory.path("monday.strata"))
    #expect(copy.status == 0, "\(copy)")
    try await migrate(
      "ALTER TABLE books RENAME TO volumes;",
      "UPDATE volumes SET id = id + 100;",
      "ALTER TABLE volumes RENAME COLUMN title TO name;"
    )
    #expect(try found(store) == [Self.secret, Self.other])
    let erased = try await Program.shell(
      #""$0" erase "$1" $2 --yes"#,
      store,
      name.joined(separator: " ")
    )
    #expect(erased.status == 0, "\(erased)")
    #expect(
      erased.errors == "\(directory.path("monday.strata")) still holds what was erased.\n"
    )
    #expect(try found(store) == [Self.other])
    #expect(try await Program.strata("verify", store).status == 0)
    let history = try await Program.strata("history", store, "volumes", "101")
    #expect(history.output.contains("erased") && !history.output.contains("inserted"))
    let kept = try await Program.strata("history", store, "volumes", "102")
    #expect(kept.output.contains("inserted") && kept.output.contains("moved from"), "\(kept)")
    #expect(!kept.output.contains("erased"))
    let then = try await Program.strata("list", store, "books", "--at", "2", "--ndjson")
    #expect(then.output.contains(Self.other) && !then.output.contains(Self.secret), "\(then)")
    let pushed = try await Program.strata("push", store, "--to", directory.path("archive"))
    #expect(pushed.status == 0, "\(pushed)")
    let pulled = directory.path("pulled.strata")
    let pull = try await Program.strata("pull", pulled, "--from", directory.path("archive"))
    #expect(pull.status == 0, "\(pull)")
    #expect(try found(pulled) == [Self.other])
  }

  @Test
  func `an entity that has taken the ID of the erased one keeps its history`() async throws {
    try await makeStore()
    try await migrate(
      """
      UPDATE books SET id = 1001 WHERE id = 1;
      UPDATE books SET id = 1 WHERE id = 2;
      UPDATE books SET id = 2 WHERE id = 1001;
      """
    )
    // What is 2 now was 1.
    let erased = try await Program.strata("erase", store, "books", "2", "--yes")
    #expect(erased.status == 0, "\(erased)")
    #expect(try found(store) == [Self.other])
    #expect(try await Program.strata("verify", store).status == 0)
    let kept = try await Program.strata("list", store, "books", "--at", "2", "--ndjson")
    #expect(kept.output.contains(#""id":2"#) && kept.output.contains(", always"), "\(kept)")
    #expect(try await Program.strata("show", store, "books", "1").status == 0)
    #expect(try await Program.strata("show", store, "books", "2").status == 3)
  }

  @Test
  func `an ID that was given again is not followed to what had it before`() async throws {
    try await makeStore()
    try await migrate("UPDATE books SET id = id + 100;")
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1, title: "again")) }
    try await persistence.close()
    let erased = try await Program.strata("erase", store, "books", "1", "--yes")
    #expect(erased.status == 0, "\(erased)")
    let others = try await Program.strata("list", store, "books", "--ndjson")
    #expect(others.output.contains(Self.secret) && !others.output.contains("again"), "\(others)")
  }

  @Test
  func `a named snapshot from before a trimmed migration is named`() async throws {
    try await makeStore()
    try await migrate("UPDATE books SET id = id + 100;")
    #expect(try await Program.strata("erase", store, "books", "101", "--yes").errors == "")
    // Compacting trims the journal up to the present.
    let persistence = try await open()
    try await persistence.compact()
    try await persistence.close()
    let erased = try await Program.strata("erase", store, "books", "102", "--yes")
    #expect(erased.status == 0, "\(erased)")
    #expect(
      erased.errors.contains("The snapshot at revision 1 is from before a migration whose delta"),
      "\(erased)"
    )
  }

  @Test(arguments: ["volumes.name", "books.title"])
  func `a field is redacted under every name that it has had`(field: String) async throws {
    try await makeStore()
    try await migrate(
      "ALTER TABLE books RENAME TO volumes;",
      "UPDATE volumes SET id = id + 100;",
      // No value stays as it was, so that only the names tell.
      "ALTER TABLE volumes RENAME COLUMN title TO name; UPDATE volumes SET name = upper(name);"
    )
    let hits = try await Program.strata("find", store, Self.secret, "volumes", "--all", "--csv")
    #expect(hits.output.contains("books,1,title,"), "\(hits)")
    let bundle = directory.path("bug.strata")
    let made = try await Program.strata("bundle", store, "--redact", field, "-o", bundle)
    #expect(made.status == 0, "\(made)")
    #expect(try found(bundle) == [])
    #expect(try await Program.strata("verify", bundle).status == 0)
    let titles = try await Program.strata("list", bundle, "books", "--at", "1")
    #expect(titles.status == 0, "\(titles)")
  }

  /// What a script makes of the titles: columns of other names, tables or forms.
  @Test(arguments: [
    ("ALTER TABLE books ADD COLUMN name TEXT; UPDATE books SET name = title;", "books.name"),
    (
      "ALTER TABLE books ADD COLUMN name TEXT; UPDATE books SET name = '<' || title || '>';",
      "books.name"
    ),
    (
      "ALTER TABLE books ADD COLUMN more TEXT; "
        + "UPDATE books SET more = json_object('title', title);",
      "books.more"
    ),
    (
      "CREATE TABLE titles(id INTEGER PRIMARY KEY, text TEXT); "
        + "INSERT INTO titles SELECT id, title FROM books;",
      "titles.text"
    ),
  ])
  func `a field is redacted where a script has put its values`(
    script: String,
    field: String
  ) async throws {
    try await makeStore()
    let allowed = "-- strata:allow destructive(books.title)\n"
    try await migrate(allowed + script + " ALTER TABLE books DROP COLUMN title;")
    for field in ["books.title", field] {
      let bundle = directory.path("\(field).strata")
      let made = try await Program.strata(
        "bundle",
        store,
        "--last",
        "1",
        "--redact",
        field,
        "-o",
        bundle
      )
      #expect(made.status == 0, "\(made)")
      #expect(try found(bundle) == [], "\(field)")
    }
  }

  @Test func `the DEFAULT of a redacted column is not in the bundle`() async throws {
    try await makeStore()
    try await migrate(
      "ALTER TABLE books ADD COLUMN shelf TEXT DEFAULT 'a private shelf';",
      "ALTER TABLE books ADD COLUMN place TEXT DEFAULT 'a known place';"
    )
    let bundle = directory.path("bug.strata")
    let made = try await Program.strata("bundle", store, "--redact", "books.shelf", "-o", bundle)
    #expect(made.status == 0, "\(made)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: bundle))
    #expect(bytes.range(of: Data("a private shelf".utf8)) == nil)
    #expect(bytes.range(of: Data("'a known place'".utf8)) != nil)
    #expect(try await Program.strata("verify", bundle).status == 0)
  }

  @Test
  func `a field of a table whose records are gone is redacted under every name`() async throws {
    try await makeStore()
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.removeAll() }
    try await persistence.close()
    try await migrate(
      "ALTER TABLE books RENAME COLUMN title TO name;",
      "ALTER TABLE books RENAME TO volumes;"
    )
    let bundle = directory.path("bug.strata")
    let made = try await Program.strata("bundle", store, "--redact", "volumes.name", "-o", bundle)
    #expect(made.status == 0, "\(made)")
    #expect(try found(bundle) == [])
  }

  @Test
  func `find --all looks into snapshots from before a trim, and says what it could not search`()
    async throws
  {
    try await makeStore()
    let persistence = try await open()
    LibraryStore(persistence).commit { $0.db.books.removeAll() }
    try await persistence.compact()
    try await persistence.close()
    let hit = try await Program.strata("find", store, Self.secret, "--all")
    #expect(hit.status == 0, "\(hit)")
    #expect(hit.output.contains(Self.secret) && !hit.output.contains("never"), "\(hit)")
    #expect(
      hit.errors
        == """
        The changes up to revision 3 were trimmed: of the states before, only the snapshots before (1) were searched.

        """,
      "\(hit)"
    )
    let none = try await Program.strata("find", store, "never", "--all")
    #expect(none.status == 3 && none.errors.contains("were trimmed"), "\(none)")
  }
}
