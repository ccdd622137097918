import Foundation
import Strata
import Testing

@Suite struct VerifyTests {
  @Test func `a sound store passes every check`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let verified = try await Program.strata("verify", path)
    #expect(verified.status == 0)
    let lines = verified.output.split(separator: "\n")
    #expect(
      lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        == [
          "ok schema", "ok pages", "ok identity", "ok rows", "ok tables", "ok snapshot",
          "ok journal", "ok head", "\(path) is",
        ]
    )
    #expect(lines.last == "\(path) is sound: 8 checks passed.")
  }

  @Test func `the JSON of a sound store says so`() async throws {
    let folder = try Folder()
    let verified = try await Program.strata("verify", try await folder.closedSample(), "--json")
    #expect(verified.status == 0)
    #expect(try canonicalJSON(verified.output).hasSuffix(#""sound":true}"#))
  }

  @Test func `a missing head is a note and does not pass for one that matches`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try FileManager.default.removeItem(atPath: path + ".head")
    let verified = try await Program.strata("verify", path)
    #expect(verified.status == 0)
    #expect(verified.output.contains("note    head"))
    #expect(!verified.output.contains("ok      head"))
    #expect(verified.output.hasSuffix("is sound: 8 checks passed, 1 of them with a note.\n"))
  }

  @Test func `a flipped bit in a snapshot is named`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.flip("Initial Ida", in: path)
    let verified = try await Program.strata("verify", path)
    #expect(verified.status == 4)
    #expect(
      verified.output.contains(
        #/\nFAILED  snapshot 0  hash mismatch in chunk 2 of snapshot 0: stored \w{32}, computed \w{32}\n/#
      )
    )
    #expect(verified.output.contains("\n\(path) is damaged: 1 of 8 checks failed. "))
  }

  @Test func `a flipped bit in a delta is named`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.flip("Delta Dora", in: path)
    let verified = try await Program.strata("verify", path, "--json")
    #expect(verified.status == 4)
    #expect(
      try canonicalJSON(verified.output).contains(
        #/\{"detail":"hash mismatch in delta 1: stored \w{32}, computed \w{32}","isNote":false,"name":"journal","passed":false\}/#
      )
    )
    #expect(try canonicalJSON(verified.output).hasSuffix(#""sound":false}"#))
  }

  @Test func `damage is told and named where the data is asked for`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.flip("Delta Dora", in: path)
    let shown = try await Program.strata("show", path, "users")
    #expect(shown.status == 4)
    #expect(shown.output == "")
    #expect(
      shown.errors.hasPrefix(
        "strata: \(path): this store is damaged: hash mismatch in delta 1: stored "
      )
    )
  }

  @Test func `the verdict stands when nobody reads it`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.flip("Initial Ida", in: path)
    // The reader of the pipe has ended before the first byte.
    let line = #"exec 3> >(true); wait $!; "$0" verify "$1" >&3; echo "exit $?""#
    #expect(try await Program.shell(line, path).output == "exit 4\n")
  }

  @Test func `a named snapshot whose deltas were trimmed is no damage`() async throws {
    let folder = try Folder()
    let path = try await folder.trimmedSample()
    let info = try await Program.strata("info", path, "--json").output
    let first = try #require(try member("journal", "first", of: info).flatMap { Int($0) })
    try #require(first > 4)
    let verified = try await Program.strata("verify", path)
    #expect(verified.status == 0, "\(verified.output)")
  }
}
