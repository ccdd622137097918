import ArgumentParser
import Foundation
import StrataArchiving
import StrataBase
import StrataJournal

/// `strata push STORE --to ARCHIVE`.
struct Push: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Sends a store to its archive, as a program does that has it open.",
    discussion: """
      The archive gets the deltas that it lacks, a first snapshot, and the snapshots with names. For that the \
      command leads the archive for a moment, which raises the epoch of both. It is refused while another \
      process leads, and if the archive has commits that the store lacks. The store must not be open. A push \
      that fails can be repeated: nothing is sent twice.

      The last snapshot of the archive and the deltas after it are read and verified first, and a snapshot that was \
      sent is read back, so a push takes the time of a pull. Exits with 4 if the archive is damaged there; \
      `strata archive verify` checks all of it.

      A store that was restored from a backup, forked, or pulled up to a point is refused where the archive goes on. With \
      --replace its history becomes that of the archive, and followers take it over. If it has what was erased from the \
      archive since, it is refused without --with-erased too.

      Examples:
        strata push app.strata --to /backups/app
        strata push app.strata --to /backups/app --replace
        strata push app.strata --to 'postgres:///?service=strata' --name app

      A URL needs a strata that is built with --traits Postgres. One with a password is refused: put it into a \
      service file, a password file (PGPASSFILE) or the environment.
      """
  )

  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "The archive: a folder, or a URL as postgres://host/database.",
      valueName: "archive"
    ),
    completion: .directory
  )
  var location: String

  @Option(
    help: """
      The name of the store in the database of a URL. (default: the only one, or that of the file \
      without its extension)
      """
  )
  var name: String?

  @Flag(
    help: """
      Let the history of a store that was taken back, as by restore, take the place of the archive's. What the archive has \
      is pulled into a directory beside the store first.
      """
  )
  var replace = false

  @Flag(help: "With --replace: even if the store has what was erased from the archive.")
  var withErased = false

  func validate() throws {
    if withErased, !replace { throw ValidationError("--with-erased goes with --replace.") }
  }

  func run() async throws {
    let file = PathParts(store).stem
    let archive = try await ArchiveLocation(location).archive(named: name, orElse: file)
    let path = try StorePath(store, for: .archiving)
    let lack: ArchiveOpening.Lack =
      switch (replace, withErased) {
      case (false, _): .refuse
      case (true, false): .replaceIfTakenBack
      case (true, true): .replaceWithErased
      }
    let report = try await ArchivePush(from: path, to: archive, ifLacking: lack).run()
    try Output.print { output throws(OutputError) in
      for line in ArchiveText.lines(report) { try output.line(line) }
    }
  }
}
