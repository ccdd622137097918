import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata bundle STORE`.
struct Bundle: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bundle",
    abstract: "Writes a small store for a bug report, with chosen fields replaced.",
    discussion: """
      It has the last commits, the entities that they touch, and those that these refer to, with the revisions of \
      the original; of a store without commits, all entities. Replaced values keep their kind and length; equal ones stay equal. Nothing else is in the \
      file. IDs and the names and places of commits stay. The store is not changed, and may be open.

      A field is replaced under every name that it and its table have had, and in every field of its records into \
      which a migration has put its values. It may be a path, which goes through structs, cases of enums and \
      dictionaries: customers.contact.email, jobs.status.done.notes. Elements of arrays have no names, and keys of \
      dictionaries can be left out. IDs within a replaced field stay.

      A test opens it with `Persistence.fork`.

      Examples:
        strata bundle app.strata --last 50 -o bug.strata
        strata bundle app.strata --last 50 --redact users.email users.name -o bug.strata
        strata bundle app.strata --last 5 --redact settings.token -o bug.strata --keep-contexts
        strata bundle app.strata --redact jobs.status.done.notes -o bug.strata
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Option(help: "How many commits, counted from the last one.")
  var last = 100

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "The fields whose values are replaced, such as users.email.",
      valueName: "table.field"
    )
  )
  var redact: [String] = []

  @Flag(help: "Keep users, requests and arguments of commits; they are not redacted.")
  var keepContexts = false

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The file to create.",
    completion: .file()
  )
  var output: String

  func validate() throws {
    if last < 1 { throw ValidationError("--last must be at least 1.") }
    _ = try StoreBundle.Field.arguments(redact)
  }

  func run() throws {
    let report = try StoreBundle.writeBlocking(
      of: arguments.store,
      last: last,
      redacting: try StoreBundle.Field.arguments(redact),
      contexts: keepContexts ? .keep : .omit,
      to: output
    )
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(BundleText.Summary(report)))
      case .text: for line in BundleText.lines(report, self.output) { try output.line(line) }
      }
    }
    if redact.isEmpty {
      Output.printError("Nothing is redacted: --redact TABLE.FIELD replaces values.")
    }
  }
}

/// The output of `strata bundle`.
enum BundleText {
  /// A report as JSON.
  struct Summary: Encodable {
    let base: Int64
    let last: Int64
    let deltas: Int
    let entities: Int
    let replacedValues: Int
    let bytes: Int64

    init(_ report: StoreBundle.Report) {
      base = report.base.number
      last = report.last.number
      deltas = report.deltas
      entities = report.entities
      replacedValues = report.replacedValues
      bytes = report.bytes
    }
  }

  /// What the bundle has, and what was replaced.
  static func lines(_ report: StoreBundle.Report, _ path: String) -> [String] {
    let deltas = Measures.count(report.deltas, "delta", "deltas")
    let entities = Measures.count(report.entities, "entity", "entities")
    return [
      report.deltas == 0
        ? "\(path.printable) has \(entities) of revision \(report.base); there is no commit that it could have."
        : """
        \(path.printable) has \(deltas), revisions \(report.base.number + 1) to \(report.last), on \
        \(entities) of revision \(report.base).
        """,
      """
      \(Measures.count(report.replacedValues, "value was", "values were")) replaced. The file has \
      \(Measures.size(report.bytes)).
      """,
    ]
  }
}
