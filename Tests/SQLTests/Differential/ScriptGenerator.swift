import StrataColumns
import TestSupport

/// Makes scripts of one to eight statements over the tables of a sample.
///
/// It knows which tables and columns its own statements have made, so that most scripts run; some fail, as those of
/// people do. A number stands for one script: the same seed and number make the same one.
struct ScriptGenerator {
  /// A table as far as the generator knows it.
  struct Table {
    struct Column: Equatable {
      var name: String
      let kind: ColumnKind
      var isGenerated = false
      var isRequired = false
    }

    var name: String
    var columns: [Column]
    let id: ColumnKind
    /// Whether it is gone when the script ends.
    var isTemporary = false
    /// Whether two rows cannot have one ID.
    var hasKey = true

    /// Whether SQLite gives IDs to rows that have none.
    var givesIDs: Bool { hasKey && id.isInteger }
    var writable: [Column] { columns.filter { !$0.isGenerated } }
  }

  var random: SeededGenerator
  var tables: [Table]
  /// The names of indexes, views and triggers, which the same script may drop.
  var indexes: [String] = []
  var views: [String] = []
  var triggers: [String] = []
  /// The column that the statement drops which is being made.
  var dropped: ScriptStatement.Place?
  /// How many names were given.
  private var names = 0

  init(_ contents: PlainContents, using random: SeededGenerator) {
    self.random = random
    // A table without records has no columns but its ID yet.
    tables = contents.tables.filter { !$0.rows.isEmpty }.map { table in
      let columns = table.columns.enumerated().filter { $0.offset != table.id }
      return Table(
        name: table.name,
        columns: columns.map {
          .init(name: $0.element.name, kind: ColumnKind(declaration: $0.element.type) ?? .any)
        },
        id: table.id.flatMap { ColumnKind(declaration: table.columns[$0].type) } ?? .any
      )
    }
  }

  /// One script, or two of which the second one runs on what the first one leaves.
  mutating func scripts() -> [[ScriptStatement]] {
    var script: [ScriptStatement] = []
    let count = Int.random(in: 1...8, using: &random)
    while script.count < count {
      let form = pick(ScriptStatement.Form.allCases)
      script += statements(form)
    }
    guard script.count > 1, chance(25) else { return [script] }
    let cut = Int.random(in: 1..<script.count, using: &random)
    return [Array(script[..<cut]), Array(script[cut...])]
  }

  /// The statements of a form; none where no table is fit for it.
  private mutating func statements(_ form: ScriptStatement.Form) -> [ScriptStatement] {
    guard !tables.isEmpty else { return [ScriptStatement(form: .values, sql: "VALUES (1), (2)")] }
    dropped = nil
    let texts =
      rowStatements(form) ?? columnStatements(form) ?? tableStatements(form)
      ?? objectStatements(form) ?? []
    return texts.map { ScriptStatement(form: form, sql: $0, dropped: dropped) }
  }

  mutating func pick<T>(_ choices: [T]) -> T { choices.picked(using: &random) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  /// A name that was not given yet, some of them such as have to be quoted.
  mutating func newName(_ stem: String) -> String {
    names += 1
    return pick(["\(stem)\(names)", "\(stem)\(names)", "\(stem) \(names)", "\(stem)é\(names)"])
  }

  /// The number of a table, an entity table more often than another.
  mutating func anyTable(where fits: (Table) -> Bool = { _ in true }) -> Int? {
    let numbers = tables.indices.filter { fits(tables[$0]) }
    return numbers.isEmpty ? nil : pick(numbers)
  }

  func quoted(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) }
    return isPlain && !["order", "group"].contains(name) ? name : SQLName.quoted(name)
  }
}

extension ColumnKind {
  var isInteger: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    default: false
    }
  }

  /// Whether SQL has its values as texts.
  var isText: Bool { affinity == .text }
}

/// Values, expressions and conditions.
extension ScriptGenerator {
  /// A value of a kind, rarely of another one.
  mutating func literal(_ kind: ColumnKind) -> String {
    if chance(3) { return pick(["'x'", "12", "0.5", "x'00'", "NULL"]) }
    switch kind {
    case .boolean: return pick(["0", "1", "TRUE", "FALSE"])
    case .int8, .int16, .int32, .int64: return pick(["0", "1", "-3", "7", "12"])
    case .uint8, .uint16, .uint32: return pick(["0", "1", "7", "12"])
    case .uint64: return pick(["0", "12", "'18446744073709551615'", "9223372036854775807"])
    case .float, .double: return pick(["0.5", "-1.25", "2", "1e10"])
    case .string: return pick(["'Ada'", "'Oslo'", "''", "'12'", "'it''s'", "'Zoë'"])
    case .data: return pick(["x''", "x'00ff'", "zeroblob(2)"])
    case .date: return pick(["'2026-02-03 04:05:06.789Z'", "'1999-12-31 23:59:59.000Z'"])
    case .uuid:
      return pick([
        "'6F9619FF-8B86-4011-B42D-00C04FC964FF'", "'6f9619ff-8b86-4011-b42d-00c04fc964fe'",
      ])
    case .url: return pick(["'https://example.org/a'", "'https://example.org/b?c=d'"])
    case .decimal: return pick(["12", "0.25", "-99.5"])
    case .json, .any: return "NULL"
    }
  }

  /// A value for the ID of a table, mostly one that is free.
  mutating func newID(_ table: Table) -> String {
    let number = Int.random(in: 0..<40, using: &random)
    switch table.id {
    case .string: return pick(["'doc-\(number % 8)'", "'new-\(number)'"])
    case .uuid: return "'6F9619FF-8B86-4011-B42D-00C04FC9\(1_000 + number)'"
    case .uint64: return pick(["\(number)", "'184467440737095516\(10 + number % 6)'"])
    case .int8, .int16, .int32, .int64: return pick(["\(number)", "\(number)", "-\(number)"])
    case .uint8, .uint16, .uint32: return "\(number)"
    default: return literal(table.id)
    }
  }

  /// An expression of a kind over the columns of a table, with a prefix such as `t.`.
  mutating func expression(_ kind: ColumnKind, _ table: Table, _ prefix: String = "") -> String {
    let same = table.columns.filter { $0.kind == kind }
    if !same.isEmpty, chance(35) { return prefix + quoted(pick(same).name) }
    let column = same.isEmpty ? nil : prefix + quoted(pick(same).name)
    switch kind {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      return pick([
        literal(kind), column.map { "\($0) + 1" } ?? "3", "length(\(prefix)id)",
        "(SELECT count(*) FROM \(quoted(pick(tables).name)))",
        "CASE WHEN \(condition(table, prefix)) THEN 1 ELSE 2 END",
      ])
    case .float, .double:
      return pick([literal(kind), column.map { "\($0) * 2" } ?? "0.25", "7 / 2.0"])
    case .string:
      return pick([
        literal(kind), column.map { "upper(\($0))" } ?? "'u'",
        column.map { "\($0) || '!'" } ?? "'v'",
        "'u' || \(prefix)id", "coalesce(\(column ?? "NULL"), 'none')",
        "(SELECT group_concat(id) FROM (SELECT id FROM \(quoted(pick(tables).name)) ORDER BY id))",
      ])
    case .boolean: return pick([literal(kind), column.map { "NOT \($0)" } ?? "1"])
    case .decimal: return pick([literal(kind), column.map { "-\($0)" } ?? "1"])
    default: return literal(kind)
    }
  }

  mutating func condition(_ table: Table, _ prefix: String = "") -> String {
    let column = table.columns.isEmpty ? nil : pick(table.columns)
    let name = prefix + quoted(column?.name ?? "id")
    let other = quoted(pick(tables).name)
    return pick([
      "\(prefix)id = \(newID(table))",
      "\(prefix)id <> \(newID(table))",
      "\(name) IS NOT NULL",
      "\(name) IS NULL",
      "\(name) = \(literal(column?.kind ?? table.id))",
      "\(prefix)id IN (SELECT id FROM \(other))",
      "\(prefix)id NOT IN (SELECT id FROM \(other) WHERE id IS NOT NULL)",
      "EXISTS (SELECT 1 FROM \(other) o WHERE o.id > \(prefix)id)",
      "(\(name) IS NULL OR \(prefix)id > \(newID(table)))",
      "1",
    ])
  }

  /// Assignments for an UPDATE of columns other than the ID.
  mutating func assignments(_ table: Table, _ prefix: String = "") -> String? {
    let columns = table.writable.filter { $0.kind != .json && $0.kind != .any }
    guard !columns.isEmpty else { return nil }
    let first = pick(columns)
    var texts = ["\(quoted(first.name)) = \(expression(first.kind, table, prefix))"]
    let second = pick(columns)
    if second != first, chance(40) {
      texts.append("\(quoted(second.name)) = \(expression(second.kind, table, prefix))")
    }
    return texts.joined(separator: ", ")
  }

  /// The columns and values of a new row: the ID unless it is left out, and some of the columns.
  mutating func newRow(_ table: Table, withID: Bool = true) -> (columns: String, values: String) {
    var columns = withID ? ["id"] : []
    var values = withID ? [newID(table)] : []
    for column in table.writable where column.isRequired || chance(50) {
      columns.append(quoted(column.name))
      values.append(literal(column.kind))
    }
    if columns.isEmpty { (columns, values) = (["id"], [newID(table)]) }
    return (columns.joined(separator: ", "), values.joined(separator: ", "))
  }
}
