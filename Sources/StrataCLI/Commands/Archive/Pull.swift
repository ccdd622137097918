import ArgumentParser
import Foundation
import StrataArchiving
import StrataInspection
import StrataJournal

/// `strata pull STORE --from ARCHIVE`.
struct Pull: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pull",
    abstract: "Creates a store from its archive, as it is now or as it was.",
    discussion: """
      The file gets its name once all of it was verified. With --at its history ends there, and it is in a new \
      lineage: it does not lead the archive, which goes on. Nothing is overwritten.

      Examples:
        strata pull app.strata --from /backups/app
        strata pull yesterday.strata --from /backups/app --at @yesterday
        strata pull before.strata --from /backups/app --at snap:before-upgrade
        strata pull app.strata --from 'postgres:///?service=strata' --name app

      A URL needs a strata that is built with --traits Postgres. One with a password is refused: put it into a \
      service file, a password file (PGPASSFILE) or the environment.
      """
  )

  @Argument(help: "The file to create.", completion: .file())
  var store: String

  @OptionGroup var arguments: ArchiveArguments

  @Option(
    help: ArgumentHelp(
      "The end of the history: 42, @2026-11-01T12:00 (UTC), @yesterday, @-5m or snap:NAME.",
      valueName: "revision"
    )
  )
  var at: String?

  func validate() throws { _ = try end }

  private var end: ArchivePull.End {
    get throws {
      guard let at else { return .lastWhole }
      switch try RevisionExpression(argument: at) {
      case .point(let point): return .point(point)
      case .head(back: 0): return .lastWhole
      case .head: throw ValidationError("--at takes no HEAD~N here: name a revision.")
      }
    }
  }

  func run() async throws {
    let pull = ArchivePull(
      from: try await arguments.archive(),
      to: try StorePath(store, for: .archiving),
      on: .system
    )
    let position = try await pull.run(to: end)
    try Output.print { output throws(OutputError) in
      try output.line("\(store.printable) is the store at revision \(position.revision).")
    }
  }
}
