import ArgumentParser

/// `strata archive`: what an archive has, and how much of it stays.
struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Shows what an archive has, or removes what is not needed of it.",
    subcommands: [
      ArchiveStatusCommand.self, ArchiveList.self, ArchivePrune.self, ArchiveRelease.self,
      ArchiveRemove.self,
    ]
  )
}
