import ArgumentParser
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataSQL
import StrataStorage

/// `strata import STORE TABLE FILE`.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Adds the entities of a CSV or JSON file to a table.",
    discussion: """
      CSV has a line of titles, the names of fields; JSON an object on each line, or an array of objects. The ending of \
      the name says which it is: .csv, .tsv (CSV with tabs), .ndjson or .json; --form says it for any other name, a pipe, \
      and -, which is standard input. The lines \
      of `strata export --ndjson` are read too; those of other tables are skipped. Values take the kinds that the \
      table has, as `strata schema` prints them: a number such as -1234.5, a time such as 2026-02-03T04:05:06.789Z or \
      2026-02-03 04:05+02:00. An empty cell is no value, and "" is an empty text. A line is a whole entity: one that \
      is there is replaced, and a value whose text is the same stays as it is. All lines become one commit.

      If a line is wrong, nothing is written, and each wrong line is listed. References must lead to entities of \
      the store or of the file, and a field that every entity has needs a value: --leave-references and \
      --allow-missing accept other lines. The checks and unique keys of the table are named: the program checks them when it \
      opens the store. The store must not be open.

      --create adds a table, or a store, that is not there. Its fields are those of all lines of the file; a column of \
      CSV holds integers, numbers or truth values if all its cells are written as one, else texts: 007 and 1.50 are \
      texts. A field of JSON with integers and numbers holds numbers, one with several kinds any value. Times, UUIDs and \
      decimal numbers are texts there, as the file does not say their kinds: for a program whose type has such fields, \
      let it write one entity first. A new store has the entities at revision 0. A program with a list of migrations \
      runs all of them on it when it opens it; to avoid that, let the program create the store, and import into it.

      Examples:
        strata import app.strata issues issues.csv --dry-run
        strata import app.strata issues all.ndjson
        strata import app.strata issues issues.json
        strata import new.strata people people.csv --create
        sqlite3 old.db -json 'SELECT * FROM people' | strata import app.strata people - --form json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(help: "The name of the table.")
  var table: String

  @Argument(
    help: "The file: .csv, .tsv, .ndjson or .json; - for standard input.",
    completion: .file(extensions: ["csv", "tsv", "ndjson", "json"])
  )
  var file: String

  @Option(
    name: .customLong("form"),
    help: "What the file is, whatever its name: csv, tsv or json."
  )
  private var contents: EntityImport.Form?

  @Flag(help: "Add the table, or the store, if it is not there.")
  var create = false

  @Flag(help: "Show what would be added, and change nothing.")
  var dryRun = false

  @Flag(help: "Accept lines without a value that every entity of the table has.")
  var allowMissing = false

  @Flag(help: "Accept references that lead nowhere.")
  var leaveReferences = false

  func run() throws {
    let result = try EntityImport(
      of: file,
      into: table,
      of: store,
      as: contents,
      ifMissing: create ? .create : .refuse,
      missingValues: allowMissing ? .accept : .refuse,
      references: leaveReferences ? .leave : .refuse,
      progress: { number in
        if number % 1_000 == 0 { ProgressLine.current.note("\(number) read") }
      }
    ).run(dryRun ? .plan : .write)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(ImportText.Summary(result)))
      case .text:
        for line in ImportText.lines(result, table, store) { try output.line(line) }
      }
    }
    if result.counts.revision != nil, result.counts.inserted + result.counts.updated > 0 {
      try Inspector(path: store).printUnchecked([table])
    }
  }

  private var store: String { arguments.store }
}

extension EntityImport.Form: ExpressibleByArgument {}

/// The output of `strata import`.
enum ImportText {
  /// A result as JSON.
  struct Summary: Encodable {
    let inserted: Int
    let updated: Int
    let unchanged: Int
    let skipped: Int
    /// Nil for a dry run.
    let revision: Int64?
    let createdStore: Bool

    init(_ result: EntityImport.Result) {
      inserted = result.counts.inserted
      updated = result.counts.updated
      unchanged = result.counts.unchanged
      skipped = result.skipped
      revision = result.counts.revision?.number
      createdStore = result.isNewStore && result.counts.revision != nil
    }
  }

  /// What was added, or would be.
  static func lines(_ result: EntityImport.Result, _ table: String, _ store: String) -> [String] {
    let counts = result.counts
    let list = """
      \(Measures.count(counts.inserted, "entity", "entities")) inserted, \(counts.updated) updated, \
      \(counts.unchanged) unchanged in \(table.printable)
      """
    var lines: [String] = []
    if let revision = counts.revision {
      if result.isNewStore { lines.append("Created \(store.printable).") }
      lines.append("\(list), at revision \(revision).")
    } else {
      if result.isNewStore { lines.append("\(store.printable) would be created.") }
      lines.append("\(list): nothing was written.")
    }
    if !result.newFields.isEmpty {
      let fields = result.newFields.prefix(listedFields).map(\.printable).joined(separator: ", ")
      let rest = result.newFields.count - listedFields
      let more = rest > 0 ? " and \(Measures.grouped(rest)) more" : ""
      lines.append("The kinds of its fields are those that the file shows: \(fields)\(more).")
    }
    if result.skipped > 0 {
      let skipped = Measures.count(result.skipped, "line", "lines")
      lines.append("\(skipped) of other tables skipped.")
    }
    return lines
  }

  private static let listedFields = 50
}
