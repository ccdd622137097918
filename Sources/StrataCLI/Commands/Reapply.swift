import ArgumentParser
import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataStorage

/// `strata reapply STORE SETASIDE`.
struct Reapply: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reapply",
    abstract: "Commits again what only a file that was set aside has.",
    discussion: """
      SETASIDE is a directory such as app.strata.set-aside-TIME, or another file of the store. The revisions that only it \
      has are found by the hashes of the two; --from names the first. What they changed becomes one commit of the \
      store, which must not be open.

      Use the file of the present leader, and stop the standbys before the leader: what is written into a file while another \
      process leads its archive is set aside in turn. Then send it with `strata push`, before any program starts.

      Below each other are the entities that the revisions added (+), changed (~) and removed (-). One that the store has \
      changed since, too, is a conflict. Then nothing is written, and the exit code is 2; --overwrite accepts it, and gives \
      the entity the state of SETASIDE. Nothing is written either if a reference would lead nowhere.

      Examples:
        strata reapply app.strata app.strata.set-aside-20260202T100000Z --dry-run
        strata reapply app.strata app.strata.set-aside-20260202T100000Z
        strata reapply app.strata old.strata --from 12 --overwrite
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(
    help: "The directory of a file that was set aside, or a file of the store.",
    completion: .file()
  )
  var other: String

  @Option(
    help: "The first revision to commit again. (default: the first that the store does not have)"
  )
  var from: Int64?

  @Flag(help: "Show what would be committed, and change nothing.")
  var dryRun = false

  @Flag(help: "Replace what the store has changed since.")
  var overwrite = false

  @Flag(help: "Accept references that lead nowhere.")
  var leaveReferences = false

  func validate() throws {
    if let from, from < 1 { throw ValidationError("--from takes a revision from 1.") }
  }

  func run() throws {
    let conflicts: EntityMerge.Conflicts = overwrite ? .overwrite : .refuse
    let reapplication = Reapplication(
      of: file,
      from: from.map { Revision($0) },
      conflicts: conflicts,
      references: leaveReferences ? .leave : .refuse
    )
    let result =
      try dryRun
      ? reapplication.plan(arguments.store) : reapplication.write(to: arguments.store)
    try MergeText.finish(.reapply, result, arguments, conflicts)
  }

  /// The file in a directory of files that were set aside.
  private var file: String {
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: other, isDirectory: &isDirectory)
    guard isThere, isDirectory.boolValue else { return other }
    return PathParts.path(of: PathParts(arguments.store).name, in: other)
  }
}
