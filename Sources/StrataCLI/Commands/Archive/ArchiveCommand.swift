import ArgumentParser

/// `strata archive`: what an archive has, whether it is sound, and how much of it stays.
struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Shows or checks what an archive has, or removes what is not needed of it.",
    subcommands: [
      ArchiveStatusCommand.self, ArchiveList.self, ArchiveVerify.self, ArchivePrune.self,
      ArchiveRelease.self, ArchiveRemove.self,
    ]
  )
}
