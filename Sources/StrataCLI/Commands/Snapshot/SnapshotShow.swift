import ArgumentParser
import StrataInspection
import StrataJournal

/// `strata snapshot show STORE NAME`.
struct SnapshotShow: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows what a snapshot holds, by table.",
    discussion: """
      Examples:
        strata snapshot show app.strata before-import
        strata snapshot show app.strata 42 --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "Its name, or its revision.")
  var name: String

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    let all = try inspector.info().snapshots
    guard
      let snapshot = all.first(where: { $0.names.contains(name) })
        ?? all.first(where: { "\($0.revision)" == name })
    else {
      throw PersistenceError(
        .inspecting,
        path: arguments.store,
        .noSnapshot(name, among: all.flatMap(\.names))
      )
    }
    let tables = try inspector.tables(at: .point(.revision(Revision(snapshot.revision))))
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json:
        try output.line(SummaryJSON.indented(SnapshotText.Contents(snapshot, tables)))
      case .text:
        for line in SnapshotText.lines(snapshot, tables) { try output.line(line) }
      }
    }
  }
}
