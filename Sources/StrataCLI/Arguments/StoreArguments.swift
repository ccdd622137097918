import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// The arguments of every subcommand: the store and the form of the output.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  private var isJSON = false

  /// The form of the output.
  enum Form {
    case text, json
  }

  var form: Form { isJSON ? .json : .text }
}

/// The option `--at` of the subcommands that read the contents of a store.
struct AtArguments: ParsableArguments {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "The revision: 42, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m, snap:NAME. (default: HEAD)",
      valueName: "revision"
    )
  )
  private var text: String?

  func validate() throws { _ = try expression }

  /// The revision; the last one without the option.
  var expression: RevisionExpression {
    get throws { try text.map { try RevisionExpression(argument: $0) } ?? .head(back: 0) }
  }
}

extension RevisionExpression {
  /// Reads an argument of the command line.
  init(argument text: String, _ edge: Edge = .end) throws {
    do throws(RevisionExpression.Unreadable) {
      self = try RevisionExpression(text, now: Date(), edge: edge)
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension Inspector {
  /// Whether the store leads an archive when a program has it open, or did so last.
  func hasLed() throws(PersistenceError) -> Bool {
    try query { try LeadershipRecord.read($0.journal.connection) > 0 }
  }
}

extension Inspector {
  /// Says on standard error which rules of the program were not checked for the records that were written to some tables.
  func printUnchecked(_ tables: Set<String>) throws {
    let rules = try rules(of: tables).map(\.printable).joined(separator: ", ")
    if rules.isEmpty { return }
    Output.printError(
      "strata: not checked: \(rules). The program checks its rules when it opens the store."
    )
  }
}

extension RevisionSpan {
  /// Reads an argument of the command line.
  init(argument text: String) throws {
    do throws(RevisionExpression.Unreadable) {
      self = try RevisionSpan(text, now: Date())
    } catch {
      throw ValidationError("\(error)")
    }
  }
}

/// The option `--limit` of the subcommands that list.
enum Limit {
  /// The limit of an option, of which 0 means none.
  static func count(_ limit: Int) -> Int { limit == 0 ? .max : limit }

  static func validate(_ limit: Int) throws {
    if limit < 0 { throw ValidationError("--limit must not be negative; 0 lists all.") }
  }
}

extension StoreBundle.Field {
  /// Reads the arguments of `--redact`.
  static func arguments(_ texts: [String]) throws -> [StoreBundle.Field] {
    try texts.map { text in
      guard let field = StoreBundle.Field(text) else {
        throw ValidationError("--redact takes a table and a field, such as users.email.")
      }
      return field
    }
  }
}
