import ArgumentParser
import StrataInspection
import StrataJournal
import StrataStorage

/// `strata restore STORE BACKUP`.
struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts a backup in the place of a store.",
    discussion: """
      The backup is any copy of the store: of `persistence.backup`, or one such as app.strata.before-41, which a \
      migration has made. It is verified and copied, in a new epoch, and not changed. The files that are there \
      are moved together into a directory beside the store, app.strata.set-aside-TIME, and never deleted. The store must \
      not be open. It asks first where there is a store.

      A backup from before an erasure brings back what was erased from the store. It is refused without --with-erased, \
      also with --yes. Erase the entities again then.

      A backup that is only copied into place is refused: the .head of the store says how far the store was.

      Examples:
        strata restore app.strata app.strata.before-41
        strata restore app.strata backups/monday.strata --yes
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The file of the backup.", completion: .file())
  var backup: String

  @Flag(help: "Do not ask.")
  var yes = false

  @Flag(help: "Restore the backup even if it has what was erased from the store.")
  var withErased = false

  /// Says what the backup brings back of what was erased; throws if that is not accepted.
  private func checkErasures() throws {
    let (store, backup) = (arguments.store.printable, backup.printable)
    guard let count = try StoreBackup.missingErasures(of: self.backup, replacing: arguments.store)
    else {
      return Output.printError(
        "\(store) cannot be read: \(backup) may have what was erased from it, and would bring it back."
      )
    }
    if count == 0 { return }
    let entities = Measures.count(count, "entity", "entities")
    let finding =
      "\(backup) may have \(entities) erased from \(store) since: restoring it brings back what was erased."
    if withErased { return Output.printError(finding) }
    Output.printError(
      "\(finding) Nothing was restored. --with-erased restores it; `strata erase` erases again."
    )
    throw ExitCode(ExitStatus.failed.rawValue)
  }

  func run() async throws {
    let isThere =
      try StorePath(arguments.store, for: .restoringBackup).fileStatus(.restoringBackup) != .missing
    if isThere { try checkErasures() }
    if isThere, !yes {
      try Output.confirm(
        """
        Put \(backup.printable) in the place of \(arguments.store.printable)? The files that are there are moved into a \
        directory beside it.
        """,
        otherwise: "Nothing was restored."
      )
    }
    let restored = try await StoreBackup.restore(backup, replacing: arguments.store)
    let isArchived = try Inspector(path: backup).query {
      try LeadershipRecord.read($0.journal.connection) > 0
    }
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(RestoreText.Report(restored)))
      case .text:
        let position = "revision \(restored.position.revision), in epoch \(restored.position.epoch)"
        try output.line(
          "\(arguments.store.printable) is \(backup.printable) at \(position)."
        )
        if let replaced = restored.replaced {
          try output.line("The files that were there are in \(replaced.directory.printable).")
        }
        if let count = restored.missingErasures, count > 0 {
          try output.line(
            "Erase again what was erased: strata erase \(arguments.store.printable) TABLE ID"
          )
        }
        if isArchived {
          try output.line(
            """
            If its archive is to go on from here: strata push \(arguments.store.printable) --to ARCHIVE --replace
            """
          )
        }
      }
    }
  }
}

/// The output of `strata restore`.
private enum RestoreText {
  /// What was restored, as JSON.
  struct Report: Encodable {
    let revision: Int64
    let epoch: Int64
    /// The directory of the files that were there; nil if there was no store.
    let replaced: String?
    /// How many entities were erased from that store, and not from the backup; nil if it could not be read.
    let missingErasures: Int?

    init(_ restored: RestoredBackup) {
      revision = restored.position.revision.number
      epoch = restored.position.epoch
      replaced = restored.replaced?.directory
      missingErasures = restored.missingErasures
    }
  }
}
