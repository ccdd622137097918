import ArgumentParser

/// `strata snapshot`.
struct Snapshot: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Takes, names, shows and removes snapshots.",
    discussion: """
      A snapshot is the whole database at a revision. One that has a name is never removed, and can be read \
      with --at snap:NAME.

      Examples:
        strata snapshot create app.strata before-import
        strata snapshot list app.strata
        strata snapshot prune app.strata --keep 3
      """,
    subcommands: [
      SnapshotCreate.self, SnapshotList.self, SnapshotShow.self, SnapshotRename.self,
      SnapshotPrune.self,
    ]
  )
}
