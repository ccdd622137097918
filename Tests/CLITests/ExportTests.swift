import Foundation
import Strata
import StrataSQLite
import StrataStorage
import Testing

@Suite struct ExportTests {
  @Test func `NDJSON has each entity as show prints it`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
    for at in ["HEAD", "0", "snap:before-import"] {
      let export = try await Program.strata("export", path, "--ndjson", "--at", at)
      #expect(export.status == 0)
      let lines = export.output.split(separator: "\n").map(String.init)
      #expect(lines.count == (at == "HEAD" ? 6 : 5))
      for line in lines {
        let table = try #require(try member("table", of: line))
        let id = table.hasPrefix("value:") ? "value" : try member("id", of: line)
        let shown = try await Program.strata(
          "show",
          path,
          table,
          id ?? "value",
          "--json",
          "--at",
          at
        )
        let object = try #require(
          try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        )
        let value = try JSONSerialization.data(
          withJSONObject: try #require(object["value"]),
          options: [.sortedKeys, .withoutEscapingSlashes]
        )
        #expect(
          try canonicalJSON(shown.output) == String(decoding: value, as: UTF8.self),
          "\(line)"
        )
      }
    }
  }

  @Test func `CSV for another program keeps every character of a text`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    let name = "one\ttwo\r\n\u{1B}\u{AD}\u{2028}🏴󠁧󠁢󠁥󠁮󠁧󠁿"
    tracker.store.commit { $0.db.projects.insert(Project(id: "a", name: name)) }
    try await tracker.persistence.close()
    let export = try await Program.strata("export", path, "projects", "--csv")
    #expect(export.output.utf8.starts(with: "id,name\na,\"\(name)\"\n".utf8))
  }

  @Test func `a plain SQLite file is readable by its owner only`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let file = folder.path("plain.sqlite")
    let export = try await Program.strata("export", path, "--sqlite", file)
    #expect(export.status == 0, "\(export.errors)")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test(arguments: ["-wal", "-shm", "-journal", ".head", ".lock", ".creating", ".coming"])
  func `a plain SQLite file does not get a name that the store takes for its own`(
    suffix: String
  ) async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    if FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.removeItem(atPath: path + suffix)
    }
    let before = try await folder.contents()
    let export = try await Program.strata("export", path, "--sqlite", path + suffix)
    #expect(export.status != 0 && export.errors.contains("a file of the store"), "\(export)")
    #expect(try await folder.contents() == before)
  }

  @Test func `a plain SQLite file has the tables, and replaces nothing`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let tracker = try await Tracker(at: path)
    try await tracker.commitSample()
    try await tracker.persistence.close()
    let file = folder.path("plain.sqlite")
    let export = try await Program.strata("export", path, "--sqlite", file)
    #expect(export.output == "\(file) has 3 tables with 6 rows, as of revision 6.\n")
    let connection = try Connection(path: file, mode: .readOnly)
    let titles = try connection.all("SELECT id, title FROM issues WHERE id > 41 ORDER BY id") {
      row throws(SQLiteError) in "\(try row.int(0)) \(try row.text(1))"
    }
    #expect(titles == ["42 Login fails on 👩🏽‍🚀 iPad", "43 Typo in footer"])
    #expect(try connection.integrityCheck().isEmpty)
    try connection.close()
    let again = try await Program.strata("export", path, "--sqlite", file)
    #expect(again.status == 1)
    #expect(again.errors.contains("there is already a file at \(file)"))
    let names = try await Set(folder.contents().keys)
    #expect(!names.contains { $0.contains("creating") }, "\(names)")
  }
}
