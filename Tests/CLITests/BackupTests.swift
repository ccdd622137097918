import Strata
import StrataInspection
import Testing

/// `strata backup`.
@Suite struct BackupTests {
  let folder: Folder
  let path: String
  var copy: String { folder.path("copy.strata") }

  init() throws {
    folder = try Folder()
    path = folder.path("app.strata")
  }

  @Test func `a store that a program has open is copied, and the program goes on`() async throws {
    let sample = try await OpenSample(at: path)
    sample.commitUsers(100..<200)
    try await sample.persistence.flush()
    let backup = try await Program.strata("backup", path, copy)
    #expect(
      backup
        == Program(
          status: 0,
          output: "\(copy) is \(path) at revision 100, verified.\n",
          errors: ""
        )
    )
    sample.commitUsers(200..<210)
    try await sample.close()
    let (first, last) = (try Inspector(path: copy), try Inspector(path: path))
    #expect(try first.show(table: "users").count == 101)
    #expect(try last.show(table: "users").count == 111)
    #expect(try first.verify().isSound)
    let opened = try await OpenSample(at: copy)
    #expect(opened.store.state.db.users.count == 101)
    try await opened.close()
  }

  @Test func `a closed store, and one with commits in its WAL, are copied whole`() async throws {
    let unclosed = try await folder.unclosedSample()
    let before = try await folder.contents()
    #expect(try await Program.strata("backup", unclosed, copy).status == 0)
    var after = try await folder.contents()
    after["copy.strata"] = nil
    #expect(after == before)
    let compared = try await Program.strata("compare", unclosed, copy)
    #expect(compared.status == 0, "\(compared)")
    let report = try await Program.strata("backup", unclosed, folder.path("two"), "--json")
    #expect(try member("revision", of: report.output) == "3")
  }

  @Test func `nothing is overwritten, and a damaged store leaves no copy`() async throws {
    let store = try await folder.closedSample()
    #expect(try await Program.strata("backup", store, copy).status == 0)
    let again = try await Program.strata("backup", store, copy)
    #expect(again.status == 1 && again.errors.contains(copy), "\(again)")
    let other = folder.path("other.strata")
    try Patch.flip("Delta Dora", in: store)
    let damaged = try await Program.strata("backup", store, other)
    #expect(damaged.status == 4, "\(damaged)")
    #expect(try await folder.contents().keys.filter { $0.hasPrefix("other") }.isEmpty)
    let missing = try await Program.strata("backup", folder.path("none"), other)
    #expect(missing.status == 3, "\(missing)")
  }
}
