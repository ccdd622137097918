import ArgumentParser
import StrataJournal
import StrataSQL

/// `strata export STORE [TABLE]`.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes entities as NDJSON, as CSV, or into a plain SQLite file.",
    discussion: """
      NDJSON has a line for each entity, {"table":…,"id":…,"value":…}, with the value as `strata show` \
      prints it. CSV has the columns of `strata query`; characters \
      that control a terminal are escaped in it, so NDJSON is the exact form. The SQLite file has a table for each entity \
      table, with a column for each field; it must not exist yet. All tables are those of one revision.

      Examples:
        strata export app.strata --ndjson > all.ndjson
        strata export app.strata issues --csv > issues.csv
        strata export app.strata --sqlite app.sqlite --at @yesterday
      """
  )

  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Argument(help: "One table. (default: all; --csv needs one)", completion: StoreCompletion.table)
  var table: String?

  @Flag(help: "The form of the output.")
  var form: Form?

  @Option(help: "Write into this SQLite file, which must not exist.", completion: .file())
  var sqlite: String?

  @OptionGroup var moment: AtArguments

  @OptionGroup var memory: MemoryLimit

  enum Form: String, EnumerableFlag {
    case ndjson, csv
  }

  func validate() throws {
    guard (form == nil) != (sqlite == nil) else {
      throw ValidationError("Choose one of --ndjson, --csv and --sqlite FILE.")
    }
    if form == .csv, table == nil { throw ValidationError("--csv needs a table.") }
  }

  func run() throws {
    memory.apply()
    let export = StoreExport(path: store, at: try moment.expression, table: table)
    switch form {
    case .csv:
      try export.forEachTable { _, result in
        try Output.print { output throws(OutputError) in
          try output.rows(of: result, as: .csv)
        }
      }
    case .ndjson:
      try Output.printReading { output in try export.forEachRecord { try output.line($0) } }
    case nil:
      guard let sqlite else { return }
      let counts = try export.write(toDatabase: sqlite)
      let tables = Measures.count(counts.tables, "table", "tables")
      let rows = Measures.count(counts.rows, "row", "rows")
      try Output.print { output throws(OutputError) in
        try output.line(
          "\(sqlite.printable) has \(tables) with \(rows), as of revision \(counts.revision)."
        )
      }
    }
  }
}
