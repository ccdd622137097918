import Foundation
import Strata
import StrataStorage
import TestSupport
import Testing

/// `strata push`, and where the command looks for an archive.
struct PushCommandTests {
  let directory: TemporaryDirectory
  let store: String
  let folder: String

  init() async throws {
    directory = try TemporaryDirectory()
    store = directory.path("app.strata")
    folder = directory.path("archive")
  }

  private func write(_ numbers: ClosedRange<Int>) async throws {
    let persistence = try await Persistence.open(
      at: store,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    for number in numbers {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
    try await persistence.close()
  }

  @Test
  func `a store that is pushed can be pulled`() async throws {
    try await write(1...5)
    let first = try await Program.strata("push", store, "--to", folder)
    #expect(first.status == 0)
    #expect(first.output.contains("the revisions 1 to 5, 1 snapshot."))
    #expect(first.output.contains("\(folder) is at revision 5, in epoch 2."))
    let second = try await Program.strata("push", store, "--to", folder)
    #expect(second.output.contains("There was nothing to send."))
    try await write(6...6)
    let third = try await Program.strata("push", store, "--to", folder)
    #expect(third.output.contains("Sent revision 6."))
    let copy = directory.path("copy.strata")
    #expect(try await Program.strata("pull", copy, "--from", folder).status == 0)
    let sql = "SELECT id, title FROM books ORDER BY id"
    let books = try await Program.strata("query", store, sql, "--csv")
    #expect(books.output.contains("Volume 6"))
    #expect(try await Program.strata("query", copy, sql, "--csv") == books)
  }

  @Test
  func `a restored store is refused by its archive, and replaces that history if it may`()
    async throws
  {
    try await write(1...3)
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    let backup = directory.path("backup.strata")
    #expect(try await Program.strata("backup", store, backup).status == 0)
    try await write(4...5)
    for _ in 1...3 {
      #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    }
    let restored = try await Program.strata("restore", store, backup, "--yes")
    #expect(
      restored.output.hasSuffix(
        "If its archive is to go on from here: strata push \(store) --to ARCHIVE --replace\n"
      ),
      "\(restored)"
    )
    let refused = try await Program.strata("push", store, "--to", folder)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("was taken back to revision 3 on purpose"), "\(refused)")
    #expect(refused.errors.contains("up to revision 5"), "\(refused)")
    let replaced = try await Program.strata("push", store, "--to", folder, "--replace")
    #expect(replaced.status == 0, "\(replaced)")
    let lines = replaced.output.split(separator: "\n")
    #expect(
      lines.first?.hasPrefix(
        "Sent the store again. The history that the archive had is in \(store).set-aside-"
      ) == true,
      "\(replaced)"
    )
    #expect(lines.last?.hasPrefix("\(folder) is at revision 3, in epoch ") == true)
    let set = try #require(
      try Quarantine.all(besideStoreAt: store).first { $0.directory.contains("set-aside") }
    )
    let sql = "SELECT count(*) FROM books"
    let kept = try await Program.strata("query", set.directory + "/app.strata", sql, "--csv")
    #expect(kept.output.hasSuffix("5\n"), "\(kept)")
    #expect(
      try await Program.strata("push", store, "--to", folder).output.hasPrefix("There was nothing")
    )
  }

  @Test
  func `an erasure names archives that hold what was erased, and the push that removes it says so`()
    async throws
  {
    try await write(1...5)
    let before = try await Program.strata("erase", store, "books", "1", "--yes")
    #expect(before.status == 0 && before.errors.isEmpty, "\(before)")
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    let erased = try await Program.strata("erase", store, "books", "3", "--yes")
    let holds = "holds what was erased until the store is sent again: strata push \(store) --to"
    #expect(erased.errors == "\(folder) \(holds) \(folder)\n")
    let elsewhere = directory.path("elsewhere/archive")
    try FileManager.default.createDirectory(
      atPath: directory.path("elsewhere"),
      withIntermediateDirectories: true
    )
    try FileManager.default.moveItem(atPath: folder, toPath: elsewhere)
    let again = try await Program.strata("erase", store, "books", "4", "--yes", "--json")
    #expect(again.errors == "The archive of the store \(holds) ARCHIVE\n")
    #expect(try member("archived", of: again.output) == "1")
    let push = try await Program.strata("push", store, "--to", elsewhere)
    #expect(
      push.output.hasPrefix(
        "Sent the store again: what was erased from it, and all history before, left the archive.\n"
      ),
      "\(push)"
    )
    let next = try await Program.strata("push", store, "--to", elsewhere)
    #expect(next.output.hasPrefix("There was nothing to send.\n"), "\(next)")
    let copy = directory.path("copy.strata")
    #expect(try await Program.strata("pull", copy, "--from", elsewhere).status == 0)
    let books = try await Program.strata("query", copy, "SELECT id FROM books_history", "--csv")
    #expect(books.output == "id\n2\n5\n", "\(books)")
  }

  @Test
  func `a store that another process has gone on from is not pushed`() async throws {
    try await write(1...2)
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    let copy = directory.path("copy.strata")
    #expect(try await Program.strata("pull", copy, "--from", folder).status == 0)
    try await write(3...3)
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    let refused = try await Program.strata("push", copy, "--to", folder)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("the archive has commits that the file lacks"))
    let missing = try await Program.strata("push", directory.path("x"), "--to", folder)
    #expect(missing.status == 3)
  }

  static let urls = [
    "postgres://ann:pass-of-ann@host/app", "postgresql://ann:pass-of-ann@host",
    "POSTGRES://ann:pass-of-ann@host/app", "postgres://host/app?password=pass-of-ann",
    "postgres://host/app?user=ann&pass%77ord=pass-of-ann",
    "postgres://host?sslpassword=pass-of-ann",
    // A password that is not encoded.
    "postgres://ann:pass-of-ann/x@host/app", "postgres://ann:pass-of-ann?x@host/app",
    "postgres://ann@server:pass-of-ann@host/app",
  ]

  @Test(arguments: urls)
  func `a URL with a password is refused, and not quoted`(_ url: String) async throws {
    let lines = [
      ["pull", store, "--from", url], ["pull", store, "--from=\(url)"],
      ["push", store, "--to", url],
      ["archive", "status", "--from", url], ["archive", "prune", "--days", "1", "--from", url],
      // Errors of the parser quote what they do not expect.
      ["pull", url], ["push", store, url], ["archive", url], ["pul", "--from", url],
      ["pull", store, "--form", url], [url], ["info", url],
    ]
    for line in lines {
      let refused = try await Program.run(try Program.strataPath(), line)
      #expect(refused.status == 1, "\(line)")
      #expect(refused.errors.contains("the URL has a password"), "\(line)")
      #expect(refused.output == "", "\(line)")
      #expect(!refused.errors.contains("pass-of-ann"), "\(line)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == [])
  }

  @Test(arguments: ["https://ann:pass-of-ann@host/app", "host=db password=pass-of-ann"])
  func `what is no folder and no URL of a database is not quoted`(_ text: String) async throws {
    for line in [["pull", store, "--from", text], ["push", store, "--to", text]] {
      let refused = try await Program.run(try Program.strataPath(), line)
      #expect(refused.status == 64)
      #expect(!(refused.errors + refused.output).contains("pass-of-ann"))
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("")) == [])
  }

  @Test
  func `a text with a password is no URL of an archive`() async throws {
    try await write(1...1)
    let sql = "SELECT 'postgres://ann:word@host'"
    #expect(try await Program.strata("query", store, sql).status == 0)
    let shown = try await Program.strata("show", store, "books", "postgres://ann:word@host")
    #expect(shown.status == 3)
  }

  #if !Postgres
    @Test(arguments: [
      "postgres://host/app", "postgres:///?service=app", "postgres://ann@host:5432/app?user=a@b:c",
    ])
    func `without the trait a URL is refused, and the error names the trait`(
      _ url: String
    ) async throws {
      try await write(1...1)
      let pull = ["pull", directory.path("copy.strata"), "--from", url]
      for line in [pull, ["push", store, "--to", url], ["archive", "status", "--from", url]] {
        let refused = try await Program.run(try Program.strataPath(), line)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("--traits Postgres"))
      }
    }
  #endif
}
