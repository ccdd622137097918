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
    let result = try result()
    try show(result)
    try showPush(result)
    for refusal in result.refusals { Output.printError(refusal.printable) }
    if !result.refusals.isEmpty { throw ExitCode(ExitStatus.failed.rawValue) }
    if !overwrite, result.count(.conflict) > 0 {
      throw ExitCode(ExitStatus.differences.rawValue)
    }
  }

  private func result() throws(PersistenceError) -> Reapplication.Result {
    let reapplication = Reapplication(
      of: file,
      from: from.map { Revision($0) },
      conflicts: overwrite ? .overwrite : .refuse,
      references: leaveReferences ? .leave : .refuse
    )
    if dryRun { return try reapplication.plan(arguments.store) }
    return try reapplication.write(to: arguments.store)
  }

  private func show(_ result: Reapplication.Result) throws {
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(SummaryJSON.indented(ReapplyText.Report(result)))
        case .text: try output.lines(ReapplyText.lines(result, arguments.store))
        }
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
  }

  /// Names the push that is next, where a program would open the store with an archive.
  private func showPush(_ result: Reapplication.Result) throws {
    guard result.revision != nil, arguments.form == .text,
      try Inspector(path: arguments.store).hasLed()
    else { return }
    do {
      try Output.print { output throws(OutputError) in
        try output.line(
          """
          Send it to its archive before a program opens the store: strata push \(arguments.store.printable) --to ARCHIVE
          """
        )
      }
    } catch OutputError.closed {
      // The exit code is set even if the output is not read.
    }
  }

  /// The file in a directory of files that were set aside.
  private var file: String {
    var isDirectory: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: other, isDirectory: &isDirectory)
    guard isThere, isDirectory.boolValue else { return other }
    return PathParts.path(of: PathParts(arguments.store).name, in: other)
  }
}

/// The output of `strata reapply`.
enum ReapplyText {
  /// A result as JSON.
  struct Report: Encodable {
    struct Entity: Encodable {
      let table: String
      /// As JSON; nil for a persisted value.
      let id: String?
      let change: String
      let standing: Reapplication.Change.Standing
    }

    let first: Int64?
    let last: Int64?
    let entities: [Entity]
    let refusals: [String]
    /// The revision of the commit; nil if nothing was written.
    let revision: Int64?

    init(_ result: Reapplication.Result) {
      first = result.revisions?.lowerBound.number
      last = result.revisions?.upperBound.number
      entities = result.changes.map { change in
        Entity(
          table: change.table,
          id: change.id?.json(),
          change: change.kind.rawValue,
          standing: change.standing
        )
      }
      refusals = result.refusals
      revision = result.revision?.number
    }
  }

  /// A line for each entity, and one that says what was done.
  static func lines(_ result: Reapplication.Result, _ store: String) -> [String] {
    let entities = result.changes.map { change in
      let sign =
        switch change.kind {
        case .added: "+"
        case .changed: "~"
        case .removed: "-"
        }
      let id = change.id.map { " \($0.lineText)" } ?? ""
      let note =
        switch change.standing {
        case .applies: ""
        case .present: "  (the store has it already)"
        case .conflict: "  (conflict: the store has changed it since)"
        }
      return "\(sign) \(change.table.printable)\(id)\(note)"
    }
    guard let revisions = result.revisions else {
      return entities
        + (result.refusals.isEmpty ? ["There is no revision that the store lacks."] : [])
    }
    let written = result.count(.applies) + (result.revision == nil ? 0 : result.count(.conflict))
    let what = "the revisions \(revisions.lowerBound) to \(revisions.upperBound)"
    let summary =
      if let revision = result.revision {
        """
        \(Measures.count(written, "entity", "entities")) of \(what) committed again, at revision \(revision) of \
        \(store.printable).
        """
      } else {
        """
        \(Measures.count(result.changes.count, "entity", "entities")) of \(what): \(result.count(.applies)) to commit again, \
        \(result.count(.present)) there already, \
        \(Measures.count(result.count(.conflict), "conflict", "conflicts")). Nothing was written.
        """
      }
    return entities + [summary]
  }
}
