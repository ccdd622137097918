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
      prints it. CSV has a line of titles, id and the names of the fields, and a line for each entity: a value as in JSON, \
      without its quotes, nothing for no value, and "" for an empty text. Both have every field and every digit, so that \
      `strata import` takes them back unchanged. Kinds that their text does not say, as of dates in a dictionary, are \
      named on standard error: only the same store knows them.

      The SQLite file has a table for each entity table, with a column for each field, and values as `strata query` has \
      them; what it rounds is named on standard error. It must not exist yet. All tables are those of one revision.

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
    case .csv: try print(export, .csv) { try $0.csvLine($1) }
    case .ndjson: try print(export, .ndjson) { try $0.line($1) }
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
      for note in counts.notes { Output.printError(note) }
    }
  }

  private func print(
    _ export: StoreExport,
    _ form: StoreExport.Form,
    _ line: (inout Output, String) throws -> Void
  ) throws {
    var notes: [String] = []
    try Output.printReading { output in
      notes = try export.forEachLine(form) { try line(&output, $0) }
    }
    for note in notes { Output.printError(note) }
  }
}
