import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata restore STORE BACKUP`.
struct Restore: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Puts a backup in the place of a store.",
    discussion: """
      The backup is any copy of the store: of `persistence.backup`, or one such as app.strata.before-41, which a \
      migration has made. It is verified and copied, in a new lineage, and not changed. The files that are there \
      are moved together into a directory beside the store, app.strata.set-aside-TIME, and never deleted. The store must \
      not be open. It asks first where there is a store, and says if the backup is one of another store.

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
  ///
  /// Returns whether the store that is there can be read.
  private func checkErasures() throws -> Bool {
    let (store, backup) = (arguments.store.printable, backup.printable)
    guard let count = try StoreBackup.missingErasures(of: self.backup, replacing: arguments.store)
    else {
      Output.printError(
        "\(store) cannot be read: \(backup) may have what was erased from it, and would bring it back."
      )
      return false
    }
    if count == 0 { return true }
    let entities = Measures.count(count, "entity", "entities")
    let finding =
      "\(backup) may have \(entities) erased from \(store) since: restoring it brings back what was erased."
    if withErased {
      Output.printError(finding)
      return true
    }
    Output.printError(
      "\(finding) Nothing was restored. --with-erased restores it; `strata erase` erases again."
    )
    throw ExitCode(ExitStatus.failed.rawValue)
  }

  func run() async throws {
    let isThere =
      try StorePath(arguments.store, for: .restoringBackup).fileStatus(.restoringBackup) != .missing
    let canBeRead = isThere ? try checkErasures() : false
    let source = try Inspector(path: backup)
    let (id, revision) = try source.query { ($0.identity.id, $0.position.revision) }
    let isOther =
      canBeRead ? try Inspector(path: arguments.store).query { $0.identity.id != id } : false
    if isThere, !yes {
      let (store, backup) = (arguments.store.printable, backup.printable)
      let warning = isOther ? "\(backup) is a backup of another store than \(store). " : ""
      try Output.confirm(
        """
        \(warning)Put \(backup), which is at revision \(revision), in the place of \(store)? The files that are there are moved \
        into a directory beside it.
        """,
        otherwise: "Nothing was restored."
      )
    }
    let restored = try await StoreBackup.restore(backup, replacing: arguments.store)
    let hasLed = try source.hasLed()
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(RestoreText.Report(restored, isOther)))
      case .text: try output.lines(lines(restored, isOther: isOther, hasLed: hasLed))
      }
    }
  }

  /// What was restored, and what to do next.
  private func lines(_ restored: RestoredBackup, isOther: Bool, hasLed: Bool) -> [String] {
    let store = arguments.store.printable
    let position = "revision \(restored.position.revision), in a new lineage"
    var lines = ["\(store) is \(backup.printable) at \(position)."]
    if isOther { lines.append("It is another store than the one that was there.") }
    if let replaced = restored.replaced {
      lines.append("The files that were there are in \(replaced.directory.printable).")
    }
    if let count = restored.missingErasures, count > 0 {
      lines.append("Erase again what was erased: strata erase \(store) TABLE ID")
    }
    if hasLed {
      lines.append(
        "If its archive is to go on from here: strata push \(store) --to ARCHIVE --replace"
      )
    }
    return lines
  }
}

/// The output of `strata restore`.
private enum RestoreText {
  /// What was restored, as JSON.
  struct Report: Encodable {
    let revision: Int64
    let lineage: Lineage.ID
    /// Whether another store was there.
    let isOtherStore: Bool
    /// The directory of the files that were there; nil if there was no store.
    let replaced: String?
    /// How many entities were erased from that store, and not from the backup; nil if it could not be read.
    let missingErasures: Int?

    init(_ restored: RestoredBackup, _ isOtherStore: Bool) {
      revision = restored.position.revision.number
      lineage = restored.position.lineageID
      self.isOtherStore = isOtherStore
      replaced = restored.replaced?.directory
      missingErasures = restored.missingErasures
    }
  }
}
