import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataStorage

/// `strata revert STORE [TABLE [ID]] --at REVISION`.
struct Revert: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revert",
    abstract: "Makes the data, a table or an entity what it was at a revision.",
    discussion: """
      It is one new commit, so no history is lost. Everything that was committed since is taken back, also what others have \
      written; `strata undo` takes back single commits. The store must not be open.

      The whole store also goes back across migrations, which are pending again then, as with `strata migrate revert`, and it \
      is copied first, beside it. A table, or one entity, does not go back across a migration that has changed the table. \
      Nothing is written if a reference would lead nowhere.

      Examples:
        strata revert app.strata --at 41
        strata revert app.strata users --at @yesterday --dry-run
        strata revert app.strata users 42 --at HEAD~3
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "One table.", completion: StoreCompletion.table)
  var table: String?

  @Argument(help: "The ID of one entity.", completion: StoreCompletion.id)
  var id: String?

  @Option(
    help: ArgumentHelp(
      "The revision: 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m, snap:NAME.",
      valueName: "revision"
    )
  )
  var at: String

  @Flag(help: "With a table: show what would change, and change nothing.")
  var dryRun = false

  @Flag(help: "With a table: accept references that lead nowhere.")
  var leaveReferences = false

  @Flag(help: "Without a table: make no copy of the store first.")
  var noBackup = false

  func validate() throws {
    _ = try RevisionExpression(argument: at)
    if table == nil, dryRun || leaveReferences {
      throw ValidationError(
        "--dry-run and --leave-references are for a table. What differs from then: strata diff \(arguments.store) \(at)"
      )
    }
    if table != nil, noBackup {
      throw ValidationError("--no-backup is for the whole store: for a table, no copy is made.")
    }
  }

  func run() async throws {
    let inspector = try Inspector(path: arguments.store)
    let revision = try inspector.revision(of: try RevisionExpression(argument: at))
    guard let table else {
      return try await Self.all(arguments, to: revision, noBackup ? .none : .keep(3))
    }
    try inspector.check(table: table)
    let last = Revision(try inspector.info().revision)
    var entities = CommitUndo.Entities.table(table)
    if let id {
      let ids = try inspector.query { try $0.ids(meantBy: id, in: table) }
      entities = .entities(table: table, ids: Set(ids))
    }
    let undo = CommitUndo(
      of: .revisions(revision < last ? [revision.next...last] : []),
      entities,
      references: leaveReferences ? .leave : .refuse,
      name: "revert \(table)\(id.map { " \($0)" } ?? "") to revision \(revision)"
    )
    let result = try dryRun ? undo.plan(arguments.store) : undo.write(to: arguments.store)
    try MergeText.finish(.revert, result, arguments, .refuse)
  }

  /// Makes the whole data what it was at a revision, also before migrations.
  static func all(
    _ arguments: StoreArguments,
    to revision: Revision,
    _ backups: MigrationConfiguration.Backups
  ) async throws {
    var migrator = DataMigrator([], at: arguments.store)
    migrator.configuration.backups = backups
    let before = try await migrator.history()
    let report = try await migrator.revert(to: revision)
    let after = try await migrator.history()
    let pending = before.filter { row in !after.contains { $0.number == row.number } }.map(\.name)
    let restored = after.filter { row in !before.contains { $0.number == row.number } }.map(\.name)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json:
        try output.line(
          SummaryJSON.indented(MigrationJSON.Revert(report, to: revision, pending, restored))
        )
      case .text:
        for line in MigrationText.revert(report, to: revision, pending, restored: restored) {
          try output.line(line)
        }
      }
    }
    if report.before != report.after {
      let inspector = try Inspector(path: arguments.store)
      let tables = try inspector.tables().map(\.name)
      try inspector.printUnchecked(Set(tables))
    }
  }
}
