import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal
import StrataRecords

/// `strata find STORE TEXT [TABLE]`.
struct Find: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Finds the fields and IDs that contain a text, in all tables.",
    discussion: """
      Case does not matter. Numbers, times and UUIDs are compared as they are printed; the names of \
      fields and bytes are not searched. --all looks into every version that the file has, also in named snapshots from \
      before a trim, says which commit put the text there, and names what it could not search.

      Exits with 3 if nothing is found.

      Examples:
        strata find app.strata "ann@example.org"
        strata find app.strata 4711 orders
        strata find app.strata "ann@example.org" --at @yesterday
        strata find app.strata "ann@example.org" --all
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(help: "The text.")
  var text: String

  @Argument(help: "One table.", completion: StoreCompletion.table)
  var table: String?

  @OptionGroup var moment: AtArguments

  @Flag(help: "Look into all of history.")
  var all = false

  @Option(help: "At most N hits; 0 for all.")
  var limit = 100

  @OptionGroup var display: DisplayArguments

  func validate() throws {
    try Limit.validate(limit)
    if text.isEmpty { throw ValidationError("The text is empty.") }
    if all, try moment.expression != .head(back: 0) {
      throw ValidationError("--all looks at every revision: leave out --at.")
    }
  }

  func run() throws {
    let page = try Inspector(path: arguments.store).find(
      SearchText(text),
      all ? .history : .at(try moment.expression),
      table: table,
      limit: Limit.count(limit)
    ) { revision, last in
      ProgressLine.current.note("revision \(revision) of \(last)")
    }
    let columns = Terminal.standard.columns
    let rows = page.rows(all ? .withCommits : .withoutCommits) {
      excerpt($0.lineText, within: columns)
    }
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let form = arguments.form { return try output.rows(rows, as: form) }
      guard page.hits.isEmpty else {
        return try output.lines(rows.table(within: columns, display.highlighting))
      }
    }
    for sentence in page.notSearched { Output.printError(sentence.printable) }
    if page.isCut { Output.printError("There are more hits: raise --limit, or --limit 0 for all.") }
    if page.hits.isEmpty {
      let place = all ? "any revision that can be read" : "revision \(page.revision)"
      Output.printError("strata: “\(text)” is in no field and no ID at \(place).")
      throw ExitCode(ExitStatus.notFound.rawValue)
    }
  }

  /// Where lines are fitted, a text from shortly before where it contains the searched one.
  private func excerpt(_ value: String, within limit: Int) -> String {
    guard arguments.form == nil, limit < Terminal.unlimited,
      let hit = value.range(of: text, options: .caseInsensitive)
    else {
      return value
    }
    let before = value.distance(from: value.startIndex, to: hit.lowerBound)
    return before > 20 ? "…" + value.dropFirst(before - 15) : value
  }
}
