import Foundation
import Strata
import StrataSQLite
import Testing

/// A store that somebody sent: looking at it takes no memory, no disk and no time beyond its bytes, and
/// nothing in it reaches the terminal raw.
@Suite struct HostileFileTests {
  private static let subcommands: [[String]] = [
    ["info"], ["tables"], ["show", "users"], ["log"], ["verify"], ["schema"], ["list", "users"],
    ["blame", "users"], ["history", "users", "1"], ["find", "e"], ["find", "e", "--all"],
    ["log", "--fields"], ["stats"], ["doctor"], ["diff", "HEAD..HEAD"],
  ]

  private func runAll(_ path: String, _ extra: String...) async throws -> [Program] {
    var runs: [Program] = []
    for subcommand in Self.subcommands {
      let arguments = [subcommand[0], path] + subcommand.dropFirst() + extra
      runs.append(try await Program.run(try Program.strataPath(), arguments))
    }
    return runs
  }

  private static let dangerous =
    "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}\u{200E}\u{200F}\u{61C}\u{E0041}"

  private func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar == "\n" || scalar == "\u{200C}" || scalar == "\u{200D}"
        || ![.control, .format, .lineSeparator, .paragraphSeparator]
          .contains(scalar.properties.generalCategory)
    }
  }

  @Test func `names in the schema, paths and arguments do not reach the terminal raw`() async throws
  {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.execute(#"CREATE TABLE "x\#(Self.dangerous)" (k INTEGER PRIMARY KEY)"#)
    try connection.close()
    for run in try await runAll(path) {
      #expect(run.status == 4)
      #expect(run.errors.contains("foreign table x\\u001b]0;owned\\u0007\\u009b2J\\u202e\\u200e"))
      #expect(isPrintable(run.errors + run.output), "\(run)")
    }
    for run in try await runAll(folder.path("no\(Self.dangerous).strata")) {
      #expect(run.status == 3)
      #expect(isPrintable(run.errors + run.output), "\(run)")
    }
    for arguments in [
      ["info", path, Self.dangerous], [Self.dangerous], ["info", path, "--\(Self.dangerous)"],
      ["log", path, "--last", Self.dangerous],
    ] {
      let run = try await Program.run(try Program.strataPath(), arguments)
      #expect(run.status == 64)
      #expect(run.errors.contains("\\u001b]0;owned"), "\(run)")
      #expect(isPrintable(run.errors + run.output), "\(run)")
    }
  }

  @Test func `what a store holds is printable as text, and JSON that means the same`() async throws
  {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    sample.store.commit("commit \(Self.dangerous)") {
      $0.db.users.insert(User(id: 9, name: "name \(Self.dangerous) end", tags: [Self.dangerous]))
    }
    try await sample.persistence.snapshot(named: "snapshot \(Self.dangerous)")
    try await sample.close()
    for run in try await runAll(path) {
      #expect(run.status == 0)
      #expect(isPrintable(run.output + run.errors), "\(run)")
    }
    for run in try await runAll(path, "--json") {
      #expect(run.status == 0)
      #expect(isPrintable(run.output + run.errors), "\(run)")
      _ = try canonicalJSON(run.output)
    }
    let shown = try await Program.strata("show", path, "users", "9", "--json")
    #expect(try member("name", of: shown.output) == "name \(Self.dangerous) end")
    let missing = try await Program.strata("show", path, "users", Self.dangerous)
    #expect(missing.status == 3)
    #expect(isPrintable(missing.errors), "\(missing)")
  }

  @Test func `a WAL that is large by its holes costs no disk`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    let temporary = folder.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let wal = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
    let size = try wal.seekToEnd()
    try wal.truncate(atOffset: 3 << 30)
    try wal.close()
    // No file may become larger than 1 MB.
    let line = #"ulimit -f 1024; TMPDIR="$2" "$0" show "$1" users 2 --json"#
    let shown = try await Program.shell(line, path, temporary)
    #expect(shown.status == 0, "\(shown)")
    #expect(shown.output.contains("Delta Dora"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty)

    // Without a valid frame there is nothing to copy.
    let holes = try FileHandle(forUpdating: URL(fileURLWithPath: path + "-wal"))
    try holes.truncate(atOffset: 0)
    try holes.truncate(atOffset: size + 3 << 30)
    try holes.close()
    let none = try await Program.shell(#"ulimit -f 1; "$0" info "$1""#, path)
    #expect(none.status == 0, "\(none)")
  }

  @Test func `a copy for reading leaves nothing behind when it fails`() async throws {
    let folder = try Folder()
    let path = try await folder.unclosedSample()
    let temporary = folder.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let before = try await folder.contents()
    for limit in ["-n 8", "-n 9", "-n 10", "-n 11", "-n 12", "-f 4", "-f 40"] {
      let line = "ulimit \(limit); " + #"TMPDIR="$2" "$0" info "$1""#
      _ = try await Program.shell(line, path, temporary)
      #expect(try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty, "\(limit)")
    }
    #expect(try await folder.contents() == before)
    let info = try await Program.shell(#"TMPDIR="$2" "$0" info "$1""#, path, temporary)
    #expect(info.status == 0, "\(info)")
  }

  @Test(arguments: [".head", ".lock", "-wal", "-shm"])
  func `a companion that is a FIFO or a link is refused`(suffix: String) async throws {
    for isFIFO in [true, false] {
      let folder = try Folder()
      let path = try await folder.closedSample()
      unlink(path + suffix)
      if isFIFO {
        #expect(mkfifo(path + suffix, 0o600) == 0)
      } else {
        #expect(symlink("/dev/zero", path + suffix) == 0)
      }
      for run in try await runAll(path) {
        #expect(run.status == 1)
        #expect(
          run.errors.contains("app.strata\(suffix) is a \(isFIFO ? "FIFO" : "symbolic link")")
        )
      }
    }
  }

  @Test func `a rollback journal beside a store is refused by every verb`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + [UInt8](repeating: 1, count: 600))
      .write(to: URL(fileURLWithPath: path + "-journal"))
    let before = try await folder.contents()
    for run in try await runAll(path) {
      #expect(run.status == 1)
      #expect(run.errors.contains("app.strata-journal is a rollback journal of SQLite"))
    }
    #expect(try await folder.contents() == before)
  }

  @Test func `a second name of a store beside its writer is refused`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    let second = folder.path("second.strata")
    try await Program.run("/bin/ln", [path, second])
    for run in try await runAll(second) {
      #expect(run.status == 1)
      #expect(run.errors.contains("one of several names (hard links) of a file"))
    }
    try await sample.close()
  }
}
