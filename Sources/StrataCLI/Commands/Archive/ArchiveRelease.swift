import ArgumentParser
import StrataArchiving
import StrataJournal

/// `strata archive release --from ARCHIVE`.
struct ArchiveRelease: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release",
    abstract:
      "Ends the lease of a leader that has ended, so that another process may lead at once.",
    discussion: """
      A lease ends by itself; this is for one that a clock that went back has made long, and for not waiting. If the \
      leader works after all, nothing is damaged: once another process leads, the archive refuses what the former leader \
      sends, and commits that it has not sent by then do not become part of the history. So it asks first, unless --yes \
      is given.

      Examples:
        strata archive release --from /backups/app
        strata archive release --from postgres://db/backups --name app --yes
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Flag(help: "Do not ask.")
  var yes = false

  func run() async throws {
    let archive = try await arguments.archive()
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let leader = head.leader.printable
    guard head.lease > .zero else {
      return try Output.print { output throws(OutputError) in
        try output.line("The lease of \(leader) has ended: another process may lead.")
      }
    }
    if !yes {
      try Output.confirm(
        """
        End the lease of \(leader), which runs for another \(ArchiveText.seconds(head.lease))? If it works, commits \
        that it has not sent are lost to the history.
        """,
        otherwise: "The lease was not ended."
      )
    }
    try await archive.release(ArchiveTerm(epoch: head.epoch, lease: .zero, leader: head.leader))
    try Output.print { output throws(OutputError) in
      try output.line("The lease of \(leader) was ended: another process may lead.")
    }
  }
}
