import StrataColumns
import TestSupport

/// Statements that change columns and tables.
extension ScriptGenerator {
  /// The statements of a form; nil for one that is not about columns.
  mutating func columnStatements(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable() else { return [] }
    let table = tables[number]
    let alter = "ALTER TABLE \(quoted(table.name))"
    let last = table.columns.indices.randomElement(using: &random)
    switch form {
    case .addColumn, .addColumnDefault, .addColumnNotNull, .addColumnCheck, .addColumnCollate,
      .addColumnReferences, .addColumnGenerated:
      return ["\(alter) ADD COLUMN \(added(form, to: number))"]
    case .renameColumn:
      guard let last else { return [] }
      let name = newName("c")
      tables[number].columns[last].name = name
      let word = pick(["", "COLUMN "])
      return ["\(alter) RENAME \(word)\(quoted(table.columns[last].name)) TO \(quoted(name))"]
    case .renameColumnCase:
      guard let last else { return [] }
      let name = table.columns[last].name.uppercased()
      tables[number].columns[last].name = name
      return [
        "\(alter) RENAME COLUMN \(quoted(table.columns[last].name)) TO \(SQLName.quoted(name))"
      ]
    case .dropColumn:
      guard let last else { return [] }
      tables[number].columns.remove(at: last)
      dropped = .init(table: table.name, column: table.columns[last].name)
      return ["\(alter) DROP COLUMN \(quoted(table.columns[last].name))"]
    case .remakeColumn:
      guard let last else { return [] }
      let name = quoted(table.columns[last].name)
      let kind = chance(60) ? table.columns[last].kind : pick(Self.newKinds)
      tables[number].columns.remove(at: last)
      tables[number].columns.append(.init(name: table.columns[last].name, kind: kind))
      dropped = .init(table: table.name, column: table.columns[last].name)
      return ["\(alter) DROP COLUMN \(name)", "\(alter) ADD COLUMN \(name) \(type(kind))"]
    case .swapColumns:
      guard table.columns.count > 1, let last else { return [] }
      let other = (last + 1) % table.columns.count
      let (a, b) = (table.columns[last].name, table.columns[other].name)
      tables[number].columns[last].name = b
      tables[number].columns[other].name = a
      return [
        "\(alter) RENAME COLUMN \(quoted(a)) TO third",
        "\(alter) RENAME COLUMN \(quoted(b)) TO \(quoted(a))",
        "\(alter) RENAME COLUMN third TO \(quoted(b))",
      ]
    default: return nil
    }
  }

  private static let newKinds: [ColumnKind] = [
    .boolean, .int8, .int32, .int64, .uint16, .uint64, .double, .float, .string, .data, .date,
    .uuid, .url, .decimal, .json,
  ]

  /// A declared type of a kind: Strata's word, or one that other databases have.
  private mutating func type(_ kind: ColumnKind) -> String {
    switch kind {
    case .int64: pick(["INTEGER", "INTEGER", "INT", "BIGINT"])
    case .double: pick(["DOUBLE", "REAL"])
    case .string: pick(["TEXT", "TEXT", "VARCHAR(40)"])
    case .decimal: pick(["DECIMAL", "NUMERIC"])
    case .uint64: "U64 BLOB"
    default: pick([kind.declaration.replacing(" COLLATE NOCASE", with: ""), kind.declaration])
    }
  }

  /// The definition of a column that a statement adds.
  private mutating func added(_ form: ScriptStatement.Form, to number: Int) -> String {
    let kind = form == .addColumnCollate ? .string : pick(Self.newKinds.filter { $0 != .json })
    var column = Table.Column(name: newName("c"), kind: kind)
    let name = quoted(column.name)
    defer { tables[number].columns.append(column) }
    var value = literal(kind)
    if value.hasPrefix("zeroblob") { value = "x'01'" }
    switch form {
    case .addColumnDefault: return "\(name) \(type(kind)) DEFAULT \(value)"
    case .addColumnNotNull:
      column.isRequired = chance(20)
      return "\(name) \(type(kind)) NOT NULL\(column.isRequired ? "" : " DEFAULT \(value)")"
    case .addColumnCheck:
      return "\(name) \(type(kind)) DEFAULT \(value) CHECK (\(name) IS NULL OR \(name) <> 'Rome')"
    case .addColumnCollate: return "\(name) TEXT DEFAULT 'Ab' COLLATE NOCASE"
    case .addColumnReferences:
      let target = pick(tables)
      column = Table.Column(name: "reference \(column.name)", kind: target.id)
      let type = type(target.id)
      return "\(SQLName.quoted(column.name)) \(type) REFERENCES \(quoted(target.name))(id)"
    case .addColumnGenerated:
      let source = tables[number].columns.filter { $0.kind == .string }
      let text = source.isEmpty ? "id" : quoted(pick(source).name)
      column = Table.Column(name: column.name, kind: .string, isGenerated: true)
      let (words, end) = (pick(["", "GENERATED ALWAYS "]), pick(["", " VIRTUAL"]))
      return "\(name) TEXT \(words)AS (upper(\(text)) || '?')\(end)"
    default: return "\(name) \(type(kind))"
    }
  }

  /// The statements of a form; nil for one that is not about tables.
  mutating func tableStatements(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable() else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    switch form {
    case .createTable: return [create(newName("t"))]
    case .createStrict:
      let name = newName("t")
      tables.append(
        Table(
          name: name,
          columns: [.init(name: "name", kind: .string), .init(name: "n", kind: .int64)],
          id: .int64
        )
      )
      return ["CREATE TABLE \(quoted(name))(id INTEGER PRIMARY KEY, name TEXT, n INT) STRICT"]
    case .createTableAs:
      let new = newName("t")
      tables.append(Table(name: new, columns: table.columns, id: table.id, hasKey: false))
      return [
        "CREATE TABLE \(quoted(new)) AS SELECT * FROM \(name) WHERE \(condition(table)) ORDER BY id"
      ]
    case .renameTable:
      tables[number].name = newName("t")
      return ["ALTER TABLE \(name) RENAME TO \(quoted(tables[number].name))"]
    case .renameTableCase:
      tables[number].name = table.name.uppercased()
      return ["ALTER TABLE \(name) RENAME TO \(SQLName.quoted(tables[number].name))"]
    case .dropTable:
      tables.remove(at: number)
      return ["DROP TABLE \(pick(["", "IF EXISTS "]))\(name)"]
    case .swapTables: return swapTables(number)
    case .rebuild: return rebuild(number) { column, _ in column.kind }
    case .rebuildType:
      return rebuild(number) { column, random in
        [column.kind, .string, .int64, .double, .any].picked(using: &random)
      }
    case .rebuildAs:
      tables[number].hasKey = false
      return [
        "CREATE TABLE new_rows AS SELECT * FROM \(name)", "DROP TABLE \(name)",
        "ALTER TABLE new_rows RENAME TO \(name)",
      ]
    case .rebuildWhole:
      return ["CREATE TABLE new_rows(\(sameColumns(as: table)))"] + copy(of: name, to: "new_rows")
        + [
          "DROP TABLE \(name)", "ALTER TABLE new_rows RENAME TO \(name)",
        ]
    case .copyWhole: return copyWhole(table)
    case .replaceTable:
      // A table of the same name and none of the rows.
      tables.remove(at: number)
      let declared = create(table.name, id: table.id)
      return ["DROP TABLE \(name)", declared]
    case .copyAndReplace:
      let kept = newName("old")
      tables.remove(at: number)
      let declared = create(table.name, id: table.id)
      tables.append(Table(name: kept, columns: table.columns, id: table.id))
      return [
        "ALTER TABLE \(name) RENAME TO \(quoted(kept))", declared,
        "INSERT INTO \(name)(id) SELECT id FROM \(quoted(kept)) ORDER BY id",
      ]
    default: return nil
    }
  }

  /// The columns of a table as they are declared, of which SQLite copies rows without reading them one by one.
  private func sameColumns(as table: Table) -> String {
    let key =
      table.id.isInteger ? "INTEGER PRIMARY KEY" : "\(table.id.declaration) PRIMARY KEY NOT NULL"
    return (["id \(key)"] + table.columns.map { "\(quoted($0.name)) \($0.kind.declaration)" })
      .joined(separator: ", ")
  }

  private mutating func copyWhole(_ table: Table) -> [String] {
    let (name, copy) = (quoted(table.name), newName("t"))
    tables.append(Table(name: copy, columns: table.columns, id: table.id))
    let copied =
      ["CREATE TABLE \(quoted(copy))(\(sameColumns(as: table)))"]
      + self.copy(of: name, to: quoted(copy))
    if chance(60) { return copied }
    // Back into a table that has rows of records.
    return copied + [
      "DELETE FROM \(name) WHERE \(condition(table))",
      "\(pick(["INSERT OR IGNORE", "REPLACE"])) INTO \(name) SELECT * FROM \(quoted(copy))",
    ]
  }

  /// Copies whole rows, in the statement itself or in a trigger.
  private mutating func copy(of table: String, to other: String) -> [String] {
    let statement = "INSERT INTO \(other) SELECT * FROM \(table)"
    if chance(75) { return [statement] }
    return [
      "CREATE TEMP TABLE start(n)",
      "CREATE TEMP TRIGGER starts AFTER INSERT ON start BEGIN \(statement); END",
      "INSERT INTO start VALUES (1)", "DROP TABLE start",
    ]
  }

  private mutating func swapTables(_ number: Int) -> [String] {
    guard
      let other = tables.indices.filter({ $0 != number && !tables[$0].isTemporary })
        .randomElement(using: &random), !tables[number].isTemporary
    else { return [] }
    let (a, b) = (tables[number].name, tables[other].name)
    tables[number].name = b
    tables[other].name = a
    return [
      "ALTER TABLE \(quoted(a)) RENAME TO third", "ALTER TABLE \(quoted(b)) RENAME TO \(quoted(a))",
      "ALTER TABLE third RENAME TO \(quoted(b))",
    ]
  }

  /// The rebuild that SQLite's page on ALTER TABLE describes.
  private mutating func rebuild(
    _ number: Int,
    _ kind: (Table.Column, inout SeededGenerator) -> ColumnKind
  ) -> [String] {
    let table = tables[number]
    let name = quoted(table.name)
    var kept = table.columns
    if kept.count > 1, chance(30) { kept.removeLast() }
    var columns: [Table.Column] = []
    var declared = ["id \(idType(table.id))"]
    for column in kept {
      let new = Table.Column(name: column.name, kind: kind(column, &random))
      columns.append(new)
      declared.append("\(quoted(new.name)) \(type(new.kind))")
    }
    let list = (["id"] + columns.map { quoted($0.name) }).joined(separator: ", ")
    tables[number].columns = columns
    let filter = chance(25) ? " WHERE \(condition(table))" : ""
    return [
      "CREATE TABLE new_rows(\(declared.joined(separator: ", ")))",
      "INSERT INTO new_rows(\(list)) SELECT \(list) FROM \(name)\(filter) ORDER BY id",
      "DROP TABLE \(name)", "ALTER TABLE new_rows RENAME TO \(name)",
    ]
  }

  private mutating func idType(_ kind: ColumnKind) -> String {
    switch kind {
    case .string: pick(["TEXT PRIMARY KEY", "TEXT NOT NULL", "TEXT UNIQUE COLLATE NOCASE"])
    case .uuid: pick(["UUID TEXT PRIMARY KEY", "TEXT PRIMARY KEY"])
    case .uint64: "U64 BLOB PRIMARY KEY"
    default: pick(["INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER UNIQUE"])
    }
  }

  /// A new table with a key and some columns, and their constraints.
  private mutating func create(_ name: String, id: ColumnKind? = nil) -> String {
    let id = id ?? pick([.int64, .int64, .string, .uuid])
    let type = idType(id)
    var table = Table(name: name, columns: [], id: id)
    table.hasKey = type.contains("PRIMARY KEY")
    var declared = ["id \(type)"]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let kind = pick(Self.newKinds.filter { $0 != .json })
      let column = Table.Column(name: newName("c"), kind: kind)
      let quotedName = quoted(column.name)
      var value = literal(kind)
      if value.hasPrefix("zeroblob") { value = "x'01'" }
      let constraint = pick([
        "", "", " DEFAULT \(value)", " NOT NULL DEFAULT \(value)", " UNIQUE",
        " CHECK (\(quotedName) IS NULL OR \(quotedName) <> 12)",
        kind == .string ? " COLLATE NOCASE" : "",
        " NOT NULL ON CONFLICT IGNORE", " UNIQUE ON CONFLICT REPLACE",
      ])
      table.columns.append(column)
      declared.append("\(quotedName) \(self.type(kind))\(constraint)")
    }
    if table.columns.count > 1, chance(30) {
      let names = table.columns.prefix(2).map { quoted($0.name) }.joined(separator: ", ")
      declared.append("UNIQUE (\(names))")
    }
    if let text = table.columns.first(where: { $0.kind == .string }), chance(30) {
      let column = Table.Column(name: newName("g"), kind: .string, isGenerated: true)
      table.columns.append(column)
      declared.insert(
        """
        \(quoted(column.name)) TEXT GENERATED ALWAYS AS (lower(\(quoted(text.name)))) \
        \(pick(["STORED", "VIRTUAL"]))
        """,
        at: 1
      )
    }
    tables.append(table)
    return "CREATE TABLE \(quoted(name))(\(declared.joined(separator: ", ")))"
  }
}
