import ArgumentParser
package import StrataInspection
import StrataJournal
package import StrataRecords

/// `strata show STORE TABLE [ID]`.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Shows the entities of a table, one entity, or a persisted value.",
    discussion: """
      For a value, use the name that `strata tables` prints: strata show STORE value:settings. \
      Entities are sorted by ID. Long values are shortened to the width of the terminal; with an \
      ID or --json they are printed in full.

      Examples:
        strata show app.strata issues
        strata show app.strata issues 42
        strata show app.strata issues 42 --at HEAD~3
        strata show app.strata value:settings --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(help: "The ID of one entity.", completion: StoreCompletion.id)
  var id: String?

  @OptionGroup var moment: AtArguments

  @OptionGroup var display: DisplayArguments

  func run() throws {
    // The store is closed before the first output, so that a user's pager does not block a writer.
    let entities = try Inspector(path: arguments.store).show(
      table: table,
      id: id,
      at: try moment.expression
    )
    try Output.print(in: display.pager) { output throws(OutputError) in
      if let entity = entities.first, entity.id == nil {
        try print(value: entity.value, to: &output)
      } else if id == nil {
        try printAll(entities, to: &output)
      } else {
        try printEach(entities, to: &output)
      }
    }
  }

  private func printAll(_ entities: [UntypedEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.array(entities.lazy.map { $0.value.jsonPieces() })
    case .text:
      if entities.isEmpty { return try output.line("The table \(table.printable) is empty.") }
      try output.table(
        EntityText.table(entities, within: Terminal.standard.columns),
        display.highlighting
      )
    }
  }

  private func print(value: RecordValue, to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json: try output.line(value.jsonPieces(.indented))
    case .text:
      for line in EntityText.lines(ofValue: value, within: Terminal.standard.columns) {
        try output.line(line)
      }
    }
  }

  /// Prints one entity, or two if the table has both a number and a text that read as the given ID.
  private func printEach(_ entities: [UntypedEntity], to output: inout Output) throws(OutputError) {
    switch arguments.form {
    case .json:
      if let entity = entities.first { try output.line(entity.value.jsonPieces(.indented)) }
    case .text:
      for (index, entity) in entities.enumerated() {
        if index > 0 { try output.line("") }
        let lines = EntityText.lines(entity, within: Terminal.standard.columns)
        for line in lines { try output.line(line) }
      }
    }
  }
}

/// The text output of `strata show`.
package enum EntityText {
  /// The rows of a table of entities, formatted on demand.
  package typealias Rows = LazyMapCollection<[UntypedEntity], [String]>

  /// The lines of a persisted value: one per field, or a single one if it has no fields.
  package static func lines(ofValue value: RecordValue, within limit: Int) -> [String] {
    guard case .object(let members) = value else { return [value.lineText] }
    return lines(Array(members), within: limit)
  }

  /// A table with a row for each entity and a column for each field that occurs in any of them.
  package static func table(_ entities: [UntypedEntity], within limit: Int) -> TextTable<Rows> {
    let fields = Fields(of: entities)
    let columns = fields.names.map { name in
      let isNumber = fields.numeric.contains(name)
      return TextTable<Rows>.Column(
        name,
        isNumber ? .right : .left,
        isNumber || fields.whole.contains(name) ? .whole : .texts
      )
    }
    let rows = entities.lazy.map { entity in
      var values: [String: RecordValue] = [:]
      forEachMember(of: entity, fields.id) { values[$0.name] = values[$0.name] ?? $0.value }
      return fields.names.map { values[$0]?.text(within: limit) ?? "" }
    }
    return TextTable(columns, rows, within: limit)
  }

  /// A line for each field of one entity.
  ///
  /// A nested value that is too long for its line is printed on the lines below, indented.
  package static func lines(_ entity: UntypedEntity, within limit: Int) -> [String] {
    var members: [RecordValue.Member] = []
    forEachMember(of: entity, entity.value["id"] == nil ? .separate : .inField) {
      members.append($0)
    }
    return lines(members, within: limit)
  }

  private static func lines(_ members: [RecordValue.Member], within limit: Int) -> [String] {
    let width = members.map(\.name.printable.columnCount).max() ?? 0
    var lines: [String] = []
    for member in members {
      let name = member.name.printable
      let gap = String(repeating: " ", count: width - name.columnCount + 1)
      let line = "\(name):\(gap)\(member.value.lineText)"
      guard member.value.isNested, line.columnCount > limit else {
        lines.append(line)
        continue
      }
      lines.append("\(name):")
      for part in member.value.json(.indented).split(separator: "\n") {
        lines.append("  " + String(part).printable)
      }
    }
    return lines
  }

  /// Whether the ID of an entity is one of its fields.
  private enum IDField {
    case inField, separate
  }

  /// Goes through the members of an entity without keeping them, since there may be very many.
  private static func forEachMember(
    of entity: UntypedEntity,
    _ id: IDField,
    _ body: (RecordValue.Member) -> Void
  ) {
    if id == .separate, let id = entity.id { body(RecordValue.Member("id", id)) }
    guard case .object(let members) = entity.value else {
      return body(RecordValue.Member("value", entity.value))
    }
    for member in members { body(member) }
  }

  /// The names of the fields, in the order of their first occurrence.
  private struct Fields {
    let id: IDField
    private(set) var names: [String] = []
    private(set) var numeric: Set<String> = []
    /// Those whose values say nothing when they are shortened.
    private(set) var whole: Set<String> = ["id"]

    init(of entities: [UntypedEntity]) {
      id = entities.allSatisfy { $0.value["id"] != nil } ? .inField : .separate
      var known: Set<String> = []
      var texts: Set<String> = []
      var long: Set<String> = []
      for entity in entities {
        forEachMember(of: entity, id) { member in
          if known.insert(member.name).inserted { names.append(member.name) }
          if !member.value.isNumberOrNull { texts.insert(member.name) }
          if !member.value.isWhole { long.insert(member.name) }
        }
      }
      numeric = known.subtracting(texts)
      whole = known.subtracting(long).union(whole)
    }
  }
}

extension RecordValue {
  /// The value on one line, cut to a number of columns.
  func text(within limit: Int) -> String {
    guard isNested else { return lineText.shortened(to: limit) }
    // What is cut is not made: a value may be very large, and a piece is more than any terminal shows.
    var text = ""
    for piece in jsonPieces() {
      text += piece
      if limit < Terminal.unlimited { break }
    }
    return text.printable.shortened(to: limit)
  }

  fileprivate var isNested: Bool {
    switch self {
    case .array, .object: true
    default: false
    }
  }

  /// Whether it says nothing when it is shortened.
  fileprivate var isWhole: Bool {
    switch self {
    case .bool, .uuid, .date: true
    default: isNumberOrNull
    }
  }

  /// Whether a column with this value can be right-aligned; null fits any column.
  fileprivate var isNumberOrNull: Bool {
    switch self {
    case .int, .uint, .float, .double, .decimal, .null: true
    default: false
    }
  }
}
