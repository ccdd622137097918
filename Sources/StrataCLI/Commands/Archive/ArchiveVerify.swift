import ArgumentParser
import StrataArchiving
import StrataInspection
import StrataJournal

/// `strata archive verify --from ARCHIVE`.
struct ArchiveVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every delta, chunk and snapshot of an archive.",
    discussion: """
      Each snapshot is brought into a temporary file with the deltas up to the next one, as a pull does, and verified \
      there. Exits with 4 if a check fails. The archive is not changed, and a leader may be at work.

      Examples:
        strata archive verify --from /backups/app
        strata archive verify --from postgres://db/backups --name app --json
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  @OptionGroup var color: ColorArguments

  func run() async throws {
    let verification = try await ArchivePull.verify(try await arguments.archive())
    do {
      try Output.print { output throws(OutputError) in
        if isJSON {
          try output.line(SummaryJSON.indented(VerifyText.Report(verification)))
        } else {
          let lines = VerifyText.lines(verification, of: .archive, color.highlighting)
          for line in lines { try output.line(line) }
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
    if !verification.isSound { throw ExitCode(ExitStatus.damaged.rawValue) }
  }
}
