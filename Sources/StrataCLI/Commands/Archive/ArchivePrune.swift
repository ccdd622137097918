import ArgumentParser
import StrataArchiving

/// `strata archive prune --from ARCHIVE`.
struct ArchivePrune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Removes old deltas and snapshots of an archive.",
    discussion: """
      The last snapshot from before --days stays, with every delta since; older than that, the last snapshot of each day \
      for --daily days. Named snapshots stay. A leader may be at work. Ages count from one snapshot to the next, at most one \
      day each, up to the newest: a clock that jumps ahead removes nothing too early.

      Examples:
        strata archive prune --from /backups/app --days 7 --daily 90
        strata archive prune --from /backups/app --days 7 --dry-run
        strata archive prune --from postgres://db/backups --name app --days 7
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Option(help: "For how many days every revision can be restored.")
  var days: Int

  @Option(help: "For how many days there is a snapshot of each day.")
  var daily = 0

  @Flag(help: "Show what would be removed, and change nothing.")
  var dryRun = false

  func validate() throws {
    guard (0...100_000).contains(days), (0...100_000).contains(daily) else {
      throw ValidationError("--days and --daily take a number of days from 0 to 100000.")
    }
  }

  func run() async throws {
    let archive = try await arguments.archive()
    let retention = ArchiveRetention(
      deltas: .seconds(days * 86_400),
      dailySnapshots: .seconds(daily * 86_400)
    )
    let removal = retention.removal(of: try await archive.snapshots())
    if !dryRun, removal != ArchiveRetention.Removal() {
      try await archive.remove(
        segmentsThrough: removal.segmentsThrough,
        snapshots: removal.snapshots
      )
    }
    try Output.print { output throws(OutputError) in
      try output.line(ArchiveText.line(removal, isPlan: dryRun))
    }
  }
}
