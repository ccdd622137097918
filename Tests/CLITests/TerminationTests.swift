import Foundation
import Strata
import Testing

/// How a command ends when it is interrupted or cannot write its output.
@Suite struct TerminationTests {
  @Test func `an interrupted command exits with 130`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    sample.commitUsers(0..<5_000)
    try await sample.close()
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: try Program.strataPath())
    process.arguments = ["show", path, "users", "--json"]
    process.standardOutput = pipe
    async let status = process.statusAtEnd()
    // The pipe holds less than the whole output: after the first byte, the command runs until it is
    // interrupted.
    _ = try pipe.fileHandleForReading.read(upToCount: 1)
    process.interrupt()
    // A command that ignores the interruption would wait forever. With a closed pipe it ends with 0.
    try pipe.fileHandleForReading.close()
    #expect(try await status == 130)
  }

  #if os(Linux)
    @Test func `output that cannot be written is an I/O failure`() async throws {
      let folder = try Folder()
      let run = try await Program.shell(
        #""$0" info "$1" > /dev/full"#,
        try await folder.closedSample()
      )
      #expect(run.status == 74)
      #expect(run.errors == "strata: standard output: No space left on device\n")
    }
  #endif

  @Test func `help and version are answers`() async throws {
    let help = try await Program.strata("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("USAGE: strata <subcommand>"))
    #expect(try await Program.strata("--version").output == "0.2.0\n")
  }
}
