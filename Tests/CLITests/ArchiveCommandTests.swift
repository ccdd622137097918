import Foundation
import Strata
import StrataArchive
import StrataArchiving
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
      with: [.archive(FolderArchive(folder))]
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
  func `list names the store, its size and its leader`() async throws {
    let none = try await Program.strata("archive", "list", "--from", folder)
    #expect((none.status, none.output) == (0, "There is no store.\n"))
    try await fill()
    let list = try await Program.strata("archive", "list", "--from", folder)
    let lines = list.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines[0].split(separator: " ") == ["name", "store", "revision", "size", "leader", "lease"]
    )
    #expect(lines[1].hasSuffix(" ended"), "\(list.output)")
    let json = try await Program.strata("archive", "list", "--from", folder, "--json")
    let size = try await FolderArchive(folder).bytes()
    #expect(size > 0)
    #expect(json.output.contains("\"bytes\":\(size),") && json.output.contains("\"revision\":5"))
  }

  /// Lets a process lead that does not end its lease.
  private func lead(for lease: Duration) async throws {
    let archive = FolderArchive(folder)
    let head = try #require(try await archive.head())
    _ = try await archive.lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "gone",
        lease: lease,
        start: head.mark
      )
    )
  }

  @Test
  func `remove asks, waits for the end of a lease, and leaves other files`() async throws {
    try await fill()
    let other = folder + "/notes.txt"
    try Data("notes".utf8).write(to: URL(fileURLWithPath: other))
    let asked = try await Program.strata("archive", "remove", "--from", folder)
    #expect(asked.status == 1)
    #expect(asked.errors.contains("at revision 5 from \(folder), with all history?"))
    #expect(asked.errors.contains("Nothing was removed. --yes does not ask."))
    try await lead(for: .seconds(3_600))
    let led = try await Program.strata("archive", "remove", "--from", folder, "--yes")
    #expect(led.status == 5)
    #expect(led.errors.contains("\(folder) is led by gone for another "), "\(led)")
    #expect(led.errors.contains(" Follow that leader, or try again once its lease has ended."))
    #expect(try await FolderArchive(folder).snapshots().count == 1)
    let release = try await Program.strata("archive", "release", "--from", folder, "--yes")
    #expect(release.output == "The lease of gone was ended: another process may lead.\n")
    let removed = try await Program.strata("archive", "remove", "--from", folder, "--yes")
    #expect(removed.status == 0)
    #expect(removed.output.contains("at revision 5 from \(folder)."))
    let again = try await Program.strata("archive", "remove", "--from", folder, "--yes")
    #expect(again.status == 3)
    #expect(try Data(contentsOf: URL(fileURLWithPath: other)) == Data("notes".utf8))
    let left = FileManager.default.subpaths(atPath: folder) ?? []
    // The head says that there is no store.
    #expect(
      Set(left) == ["notes.txt", "lock", "head", "segments", "snapshots", "images", "chunks"]
    )
    // The file of the store is whole, and can go there again.
    let push = try await Program.strata("push", directory.path("app.strata"), "--to", folder)
    #expect(push.status == 0, "\(push)")
  }

  @Test
  func `release ends the lease of a leader, and asks first`() async throws {
    try await fill()
    let ended = try await Program.strata("archive", "release", "--from", folder)
    #expect((ended.status, ended.output.hasSuffix("another process may lead.\n")) == (0, true))
    try await lead(for: .seconds(3_600))
    let asked = try await Program.strata("archive", "release", "--from", folder)
    #expect(asked.status == 1)
    #expect(asked.errors.contains("The lease was not ended."))
    let head = try #require(try await FolderArchive(folder).head())
    #expect(head.lease > .zero)
    #expect(
      try await Program.strata("archive", "release", "--from", folder, "--yes").status == 0
    )
    #expect(try await FolderArchive(folder).head()?.lease == .zero)
  }

  @Test
  func `status compares a file, and says where the archive has what was erased from it`()
    async throws
  {
    try await fill()
    let store = directory.path("app.strata")
    func status(_ form: String = "") async throws -> String {
      let line = #""$0" archive status --from "$1" --store "$2" $3"#
      let status = try await Program.shell(line, folder, store, form)
      #expect(status.status == 0, "\(status)")
      return status.output
    }
    #expect(try await status().contains("\nfile      \(store) at revision 5: as the archive\n"))
    let copy = directory.path("copy")
    try FileManager.default.copyItem(atPath: folder, toPath: copy)
    #expect(try await Program.strata("erase", store, "books", "2", "--yes").status == 0)
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    #expect(try await status().contains("at revision 5: as the archive\n"))
    // A backup of the archive from before.
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.moveItem(atPath: copy, toPath: folder)
    let before = try await status()
    #expect(
      before.contains(
        "in a later lineage than the archive: open it with the archive, or push it, and its history"
      )
    )
    #expect(before.contains("\nerased    1 entity erased from the file may be in the archive\n"))
    let json = try await status("--json")
    #expect(
      json.contains("\"missingErasures\" : 1") || json.contains("\"missingErasures\": 1"),
      "\(json)"
    )
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    #expect(try await status().contains("at revision 5: as the archive\n"))
  }

  @Test
  func `status has the size, and watch the rate`() async throws {
    try await fill()
    let status = try await Program.strata("archive", "status", "--from", folder)
    #expect(status.output.contains("\nsize      "))
    let line = #""$0" archive status --from "$1" --watch --interval 0.1 --count "#
    let lines = try await Program.shell(line + "2", folder)
    #expect(lines.status == 0)
    let texts = lines.output.split(separator: "\n")
    #expect(texts.count == 2)
    #expect(texts.allSatisfy { $0.contains("  revision 5  ") && $0.contains(" ended (epoch ") })
    #expect(!texts[0].contains("revisions/s") && texts[1].contains("  0.0 revisions/s, "))
    let json = try await Program.shell(line + "1 --json", folder)
    #expect(json.output.contains("\"revision\":5"))
    #expect(try await Program.shell(line + "0", folder).status == 64)
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
    #expect(status.output.contains("\ncommit    the last one is of 20"), "\(status.output)")
    let (store, copy) = (directory.path("app.strata"), directory.path("copy.strata"))
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    let alone = try await Persistence.open(
      at: store,
      initialState: LibraryState(),
      database: \.db
    )
    LibraryStore(alone).commit { $0.db.books.insert(Book(id: 6, title: "Volume 6")) }
    try await alone.close()
    let compare = #""$0" archive status --from "$1" --store "$2""#
    let ahead = try await Program.shell(compare, folder, store)
    #expect(ahead.output.contains(" at revision 6: 1 revision ahead of the archive\n"))
    #expect(try await Program.strata("push", store, "--to", folder).status == 0)
    let behind = try await Program.shell(compare, folder, copy)
    #expect(behind.output.contains(" at revision 5: 1 revision behind the archive\n"))
    let json = try await Program.strata("archive", "status", "--from", folder, "--json")
    #expect(json.output.contains("\"revision\" : 6") || json.output.contains("\"revision\": 6"))
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

  @Test
  func `an archive is verified like a store, and a push into a damaged one fails`() async throws {
    #expect(try await Program.strata("archive", "verify", "--from", folder).status == 3)
    try await fill()
    let sound = try await Program.strata("archive", "verify", "--from", folder)
    #expect(sound.status == 0)
    #expect(sound.output.contains("ok      segments    "), "\(sound.output)")
    #expect(sound.output.hasSuffix("\(folder) is sound: 5 checks passed.\n"), "\(sound.output)")
    let chunks = directory.path("archive/chunks")
    let snapshots = try FileManager.default.contentsOfDirectory(atPath: folder + "/snapshots")
    let snapshot = URL(fileURLWithPath: "\(folder)/snapshots/\(try #require(snapshots.first))")
    var contents = try Data(contentsOf: snapshot)
    contents[10] ^= 1
    try contents.write(to: snapshot)
    let temporary = directory.path("temporary")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let damaged = try await Program.shell(
      #"TMPDIR="$1" "$0" archive verify --from "$2""#,
      temporary,
      folder
    )
    #expect(damaged.status == 4)
    #expect(damaged.output.contains("FAILED  contents  snapshot "), "\(damaged)")
    #expect(damaged.output.contains("\(folder) is damaged: 1 of 4 checks failed."))
    let json = try await Program.strata("archive", "verify", "--from", folder, "--json")
    #expect(json.status == 4)
    #expect(try member("sound", of: json.output) == "0")
    #expect(FileManager.default.fileExists(atPath: chunks))
    let store = directory.path("app.strata")
    let push = try await Program.strata("push", store, "--to", folder)
    #expect(push.status == 4)
    #expect(push.errors.contains("the archive \(folder) is damaged"), "\(push.errors)")
    #expect(push.output == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)
  }
}
