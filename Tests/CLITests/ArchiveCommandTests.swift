import Foundation
import Strata
import StrataArchive
import TestSupport
import Testing

/// `strata pull` and `strata archive`.
struct ArchiveCommandTests {
  let directory: TemporaryDirectory
  let folder: String

  init() async throws {
    directory = try TemporaryDirectory()
    folder = directory.path("archive")
  }

  private func fill() async throws {
    let persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db,
      archive: FolderArchive(folder)
    )
    let store = LibraryStore(persistence)
    for number in 1...5 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    }
    // Closing gives up after some seconds.
    try await persistence.replicated(through: persistence.revision)
    try await persistence.close()
  }

  @Test
  func `a store comes back as it is, and as it was`() async throws {
    try await fill()
    let copy = directory.path("copy.strata")
    let pulled = try await Program.strata("pull", copy, "--from", folder)
    #expect(pulled.status == 0)
    #expect(pulled.output.contains("at revision 5"))
    #expect(try await Program.strata("verify", copy).status == 0)
    let before = directory.path("before.strata")
    #expect(
      try await Program.strata("pull", before, "--from", folder, "--at", "3").status == 0
    )
    let query = try await Program.strata("query", before, "SELECT count(*) FROM books")
    #expect(query.output.contains("3"))
    // Nothing is overwritten.
    #expect(try await Program.strata("pull", copy, "--from", folder).status == 1)
    #expect(
      try await Program.strata("pull", directory.path("x"), "--from", folder, "--at", "9").status
        == 3
    )
    #expect(!FileManager.default.fileExists(atPath: directory.path("x")))
  }

  @Test
  func `status says how far it is, and prune what is needed`() async throws {
    let empty = try await Program.strata("archive", "status", "--from", folder)
    #expect(empty.status == 3)
    #expect(empty.errors.contains("has no store"))
    try await fill()
    let status = try await Program.strata("archive", "status", "--from", folder)
    #expect(status.status == 0)
    #expect(status.output.contains("revisions 1 to 5"))
    let json = try await Program.strata("archive", "status", "--from", folder, "--json")
    #expect(json.output.contains("\"revision\" : 5") || json.output.contains("\"revision\": 5"))
    let prune = try await Program.strata(
      "archive",
      "prune",
      "--from",
      folder,
      "--days",
      "30",
      "--dry-run"
    )
    #expect(prune.output.contains("Everything is needed."))
    let wrong = try await Program.strata("archive", "prune", "--from", folder, "--days", "-1")
    #expect(wrong.status == 64)
  }
}
