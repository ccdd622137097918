import ArgumentParser
package import StrataInspection
package import StrataJournal
import StrataRecords

/// `strata blame STORE TABLE [ID [FIELD]]`.
struct Blame: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blame",
    abstract: "Shows which commit gave each field the value it has.",
    discussion: """
      For each field: its value, and the revision, time, name, place and context of the commit since \
      which it has had it. A later commit that gave it the same value does not count. Fields that the \
      entity no longer has follow, with the commit that removed them. One entity is followed through a change of its ID and a \
      rename of its table. For a \
      whole table it is a table, in which a revision such as ≤ 12 is that of a value which is older than the journal.

      Examples:
        strata blame app.strata issues 42
        strata blame app.strata issues 42 state
        strata blame app.strata issues 42 --at @yesterday
        strata blame app.strata issues --csv --limit 0 > blame.csv
      """
  )

  @OptionGroup var arguments: RowArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(help: "The ID of one entity.", completion: StoreCompletion.id)
  var id: String?

  @Argument(help: "One field.")
  var field: String?

  @OptionGroup var moment: AtArguments

  @Option(help: "At most N entities; 0 for all.")
  var limit = 100

  @Flag(help: "Stop where the entity got another ID, or its table another name.")
  var noFollow = false

  @OptionGroup var display: DisplayArguments

  func validate() throws { try Limit.validate(limit) }

  func run() throws {
    let page = try Inspector(path: arguments.store).blame(
      table: table,
      id: id,
      field: field,
      at: try moment.expression,
      limit: Limit.count(limit),
      following: noFollow ? .nothing : .moves
    )
    let rows = page.rows(withIDs: id == nil ? .everywhere : .data)
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let form = arguments.form { return try output.rows(rows, as: form) }
      if page.entities.isEmpty { return try output.line("The table \(table.printable) is empty.") }
      let columns = Terminal.standard.columns
      // A person who asks for one entity reads every word; of a table, they look for a row.
      if let entity = page.entities.first, id != nil || entity.id == nil {
        return try output.lines(
          BlameText.lines(
            entity,
            orAt: page.oldest,
            display.highlighting,
            within: columns
          )
        )
      }
      try output.lines(rows.table(within: columns, display.highlighting))
    }
    if page.isCut {
      Output.printError("There are more entities: raise --limit, or --limit 0 for all.")
    }
  }
}

/// The text output of `strata blame` for one entity.
package enum BlameText {
  /// For each field one line with its value and the commit that set it; where it is too long, a line for the value, one
  /// for the commit, and one for each context.
  package static func lines(
    _ entity: BlamedEntity,
    orAt oldest: Revision,
    _ highlighting: Highlighting,
    within limit: Int
  ) -> [String] {
    let names = entity.fields.map(\.name.printable)
    let values = entity.fields.map { field in
      field.isRemoved ? "removed" : field.value.text(within: limit)
    }
    let width = min(24, names.map(\.columnCount).max() ?? 0)
    // One long value does not push the commits of all others to the right.
    let widest = limit < Terminal.unlimited ? limit / 4 : 40
    let valueWidth = values.map(\.columnCount).filter { $0 <= widest }.max() ?? 0
    let indent = String(repeating: " ", count: width + 2)
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.columnCount) + 2)
    }
    var lines: [String] = []
    for ((field, name), value) in zip(zip(entity.fields, names), values) {
      let title = highlighting.heading(name) + padded(name, width)
      let shown = field.isRemoved ? highlighting.removed(value) : value
      func commit(_ highlighting: Highlighting) -> [String] {
        guard let commit = field.commit else { return ["at revision \(oldest) or before"] }
        return [highlighting.header(commit)] + highlighting.contexts(commit)
      }
      let gap = padded(value, valueWidth)
      let plain = (indent + value + gap + commit(.off).joined(separator: "  ")).columnCount
      if plain + max(0, name.columnCount - width) <= limit {
        lines.append(title + shown + gap + commit(highlighting).joined(separator: "  "))
      } else {
        let room = max(20, limit - width - 2)
        lines.append(title + (field.isRemoved ? shown : value.shortened(to: room)))
        lines += commit(highlighting).map { indent + $0 }
      }
    }
    return lines
  }
}
