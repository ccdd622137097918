import ArgumentParser
import Foundation
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataSQL
import StrataScripts

/// The `strata` command: inspects the file of a store, and migrates its data.
///
/// Data goes to standard output, everything else to standard error. ``ExitStatus`` lists the exit codes. Each subcommand
/// states its name: making it from the type's costs a fifth of the start.
@main
struct Strata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strata",
    abstract: "Inspects the file of a Strata store, keeps it, and migrates its data.",
    discussion: """
      The path of the store is the first argument of each subcommand. `snapshot`, `import`, `undo`, `revert`, `reapply`, `erase`, `restore`, \
      `push` and `migrate` change a store, which must be closed, and so must that of `fork`. `push`, `archive prune`, `archive release` and \
      `archive remove` change an archive. All others only read, also while a program writes. \
      --at reads the past: 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m or snap:NAME.

      On a terminal, long text is shown in a pager: STRATA_PAGER, PAGER or less. --no-pager, also before \
      the subcommand, or an empty STRATA_PAGER prints it as it is. --color always keeps colors in a pipe; --color never and NO_COLOR \
      turn them off.

      Exit codes: 0 ok, 1 failed, 2 differences, problems or pending, 3 not found, 4 damaged, 5 locked or busy, \
      6 schema drift, 7 newer format, 64 usage, 74 I/O, 130 interrupted, 143 terminated.
      """,
    version: "0.2.0",
    subcommands: [
      Info.self, Tables.self, Schema.self, Show.self, List.self, Find.self, Query.self,
      Log.self, History.self, Blame.self, Diff.self, Compare.self, Stats.self, Watch.self,
      Serve.self, Export.self, Import.self, Fork.self, Bundle.self, Snapshot.self, Erase.self,
      Backup.self, Restore.self, Undo.self, Revert.self, Reapply.self, Doctor.self, Verify.self,
      Migrate.self,
    ] + archiving
  )

  private static let archiving: [any ParsableCommand.Type] = [
    Pull.self, Push.self, ArchiveCommand.self,
  ]

  /// What the program that has a store open calls in place of a subcommand.
  private static let programCalls = [
    "strata undo": "persistence.undo", "strata revert": "persistence.revert",
    "strata erase": "persistence.erase", "strata snapshot create": "persistence.snapshot",
    "strata snapshot rename": "persistence.renameSnapshot",
    "strata snapshot prune": "persistence.removeSnapshots",
  ]

  /// The text for an error of a store's file.
  private static func message(_ error: PersistenceError, _ verb: String) -> String {
    switch error.reason {
    case .alreadyOpen:
      let call = programCalls[verb].map { ", or call `\($0)` in that program" } ?? ""
      return "\(error.path): \(error.reason.sentence). Close it there first\(call).".printable
    default:
      // The permissions that a migration lacks are lines.
      let isRefused = if case .refused? = error.dataMigration { true } else { false }
      return isRefused ? error.description.printableLines : error.description.printable
    }
  }

  static func main() async {
    Signals.configure()
    listenToNotices()
    var verb = ""
    do {
      let archiving = archiving.map { $0._commandName }
      let others = configuration.subcommands.map { $0._commandName }
      var arguments = Array(CommandLine.arguments.dropFirst())
      // An option of the subcommands that show text. Other programs take it before the subcommand.
      if arguments.first == "--no-pager" {
        arguments.removeFirst()
        setenv(Pager.variable, "", 1)
      }
      try DatabaseURL.checkPasswords(
        in: arguments,
        besides: Set(others.filter { !archiving.contains($0) })
      )
      verb = try UnknownVerb.check(arguments, of: Self.self)
      var command = try parse(arguments)
      if Terminal.isErrorTerminal { ProgressLine.current.start(verb) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let error as UnknownVerb {
      exit(.usage, message: "\(error)".printable)
    } catch let error as PersistenceError {
      exit(ExitStatus(error), message: message(error, verb))
    } catch let error as ArchiveError {
      exit(ExitStatus(error.kind), message: error.description.printable)
    } catch let error as QueryError {
      exit(ExitStatus(error), message: error.description.printable)
    } catch let error as SQLMigrationError {
      exit(ExitStatus(error), message: error.description.printable)
    } catch let error as ImportError {
      exit(ExitStatus(error), message: error.description.printableLines)
    } catch let error as OutputError {
      switch error {
      // The reader of the pipe needs no more.
      case .closed: exit(.ok)
      case .failed(let reason): exit(.io, message: "standard output: \(reason)")
      }
    } catch {
      exit(withMessageOf: error)
    }
  }

  /// Parses arguments; a word that no option can be is a value: `-5`, SQL that begins with a comment.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    do {
      return try parseAsRoot(arguments)
    } catch {
      func isValue(_ word: String) -> Bool {
        guard word.hasPrefix("-"), let next = word.dropFirst().first else { return false }
        return next.isNumber || word.prefix { $0 != "=" }.contains(where: \.isWhitespace)
      }
      let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
      let values = arguments[..<end].filter(isValue)
      guard !values.isEmpty else { throw error }
      let others = arguments[..<end].filter { !isValue($0) }
      return try parseAsRoot(others + ["--"] + values + arguments[end...].dropFirst())
    }
  }

  /// Prints each notice once.
  private static func listenToNotices() {
    let printed = Lock<Set<String>>([])
    Notice.hear { text in
      if printed.withLock({ $0.insert(text).inserted }) {
        Output.printError("strata: \(text.sentence)".printable)
      }
    }
  }

  /// Ends with the message that the parser has for an error; help is an error of it too.
  ///
  /// Arguments are part of the message and may come from anywhere, so it is made printable.
  private static func exit(withMessageOf error: any Error) -> Never {
    let status = exitCode(for: error)
    let message = Self.message(for: error)
    var text = fullMessage(for: error)
    if message.hasPrefix("Unknown option") {
      text = text.replacingOccurrences(
        of: message,
        with: """
          \(message.withFullStop) A value that begins with - comes last, behind --: `… -- -name`.
          """
      )
    }
    if status.isSuccess {
      if !text.isEmpty { printIfRead(text) }
    } else if !text.isEmpty {
      Output.printError(text.replacingOccurrences(of: message, with: message.printable))
    }
    Foundation.exit(status.rawValue)
  }

  /// An error as JSON, where the command was asked for that.
  private struct Failure: Encodable {
    let error: String
    let status: Int32
  }

  /// Prints a line to standard output, whose reader may be gone; ends the process if it cannot be written.
  private static func printIfRead(_ text: String) {
    do throws(OutputError) {
      try Output.print { output throws(OutputError) in try output.line(text) }
    } catch {
      guard case .failed(let reason) = error else { return }
      Output.printError("strata: standard output: \(reason)")
      Foundation.exit(ExitStatus.io.rawValue)
    }
  }

  private static func exit(_ status: ExitStatus, message: String? = nil) -> Never {
    if let message {
      Output.printError("strata: \(message)")
      if CommandLine.arguments.contains("--json") {
        printIfRead(SummaryJSON.compact(Failure(error: message, status: status.rawValue)))
      }
    }
    Foundation.exit(status.rawValue)
  }
}
