import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata undo STORE REVISION…`.
struct Undo: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Takes commits back, and leaves what others have written since.",
    discussion: """
      The entities that the commits changed get the records from before, as one new commit: no history is lost, and the \
      new commit can be undone too. Each REVISION is 42, HEAD, HEAD~3 or @2026-11-01T12:00 (UTC), or a span as in \
      `strata diff`: 24..26 are the commits 25 and 26. --name takes all commits with exactly that name.

      Below each other are the entities that come back (+), change (~) and go (-). One that another commit has changed since \
      is a conflict, with that commit. Then nothing is written, and the exit code is 2; --overwrite accepts it, and gives \
      the entity the record from before the first of the commits that changed it. Nothing is written either if a reference \
      would lead nowhere, or if a migration has changed the tables since.

      The store must not be open. A program undoes commits by `persistence.undo`.

      Examples:
        strata undo app.strata HEAD --dry-run
        strata undo app.strata 25 26
        strata undo app.strata 24..26 --overwrite
        strata undo app.strata --name import --table users
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The commits.")
  var revisions: [String] = []

  @Option(help: "All commits with exactly this name.")
  var name: String?

  @Option(help: "Only what they changed in this table.", completion: StoreCompletion.table)
  var table: String?

  @Flag(help: "Show what would be undone, and change nothing.")
  var dryRun = false

  @Flag(help: "Replace what other commits have changed since.")
  var overwrite = false

  @Flag(help: "Accept references that lead nowhere.")
  var leaveReferences = false

  func validate() throws {
    if revisions.isEmpty == (name == nil) {
      throw ValidationError("Give the revisions of the commits, or --name: one of the two.")
    }
    _ = try spans
  }

  /// A span without a start is one commit.
  private var spans: [(start: RevisionExpression?, end: RevisionExpression)] {
    get throws { try revisions.map { try Self.span($0) } }
  }

  private static func span(
    _ text: String
  ) throws -> (start: RevisionExpression?, end: RevisionExpression) {
    do throws(RevisionExpression.Unreadable) {
      return (nil, try RevisionExpression(text, now: Date()))
    } catch {
      guard text.contains("..") else { throw ValidationError("\(error)") }
      let span = try RevisionSpan(argument: text)
      return (span.start, span.end)
    }
  }

  private func commits(_ inspector: Inspector) throws -> CommitUndo.Commits {
    if let name { return .named(name) }
    return .revisions(
      try spans.map { start, end in
        let last = try inspector.revision(of: end)
        let first = try start.map { try inspector.revision(of: $0).next } ?? last
        if first > last {
          throw ValidationError("A span goes from an earlier revision to a later one.")
        }
        if last == 0 {
          throw ValidationError("Revision 0 is no commit, but what the store began with.")
        }
        return first...last
      }
    )
  }

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    try inspector.check(table: table)
    let conflicts: EntityMerge.Conflicts = overwrite ? .overwrite : .refuse
    let undo = CommitUndo(
      of: try commits(inspector),
      table.map { .table($0) } ?? .all,
      conflicts: conflicts,
      references: leaveReferences ? .leave : .refuse
    )
    let result = try dryRun ? undo.plan(arguments.store) : undo.write(to: arguments.store)
    if let name, result.revisions.isEmpty {
      let others = "`strata log --name` lists those whose names contain it"
      throw PersistenceError(
        .inspecting,
        path: arguments.store,
        .notFound("commit named “\(name)” in the history; \(others)")
      )
    }
    try MergeText.finish(.undo, result, arguments, conflicts)
  }
}
