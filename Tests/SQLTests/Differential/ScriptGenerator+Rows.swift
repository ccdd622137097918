import StrataColumns

/// Statements that add, change, remove and read rows.
extension ScriptGenerator {
  /// The statements of a form; nil for one that is not about rows.
  mutating func rowStatements(_ form: ScriptStatement.Form) -> [String]? {
    added(form) ?? changed(form) ?? removed(form)
  }

  private mutating func added(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable() else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    let row = newRow(table)
    let insert = "INTO \(name)(\(row.columns)) VALUES (\(row.values))"
    var update = assignments(table) ?? "id = id"
    if let column = table.writable.first, chance(40) {
      update = "\(quoted(column.name)) = excluded.\(quoted(column.name))"
    }
    switch form {
    case .insertValues:
      let other = newRow(table, withID: true)
      return chance(50)
        ? ["INSERT \(insert)"]
        : ["INSERT \(insert)", "INSERT INTO \(name)(\(other.columns)) VALUES (\(other.values))"]
    case .insertWithoutID:
      guard table.givesIDs else { return [] }
      let row = newRow(table, withID: false)
      return ["INSERT INTO \(name)(\(row.columns)) VALUES (\(row.values))"]
    case .insertDefaultValues:
      return table.givesIDs ? ["INSERT INTO \(name) DEFAULT VALUES"] : []
    case .insertReturning: return ["INSERT \(insert) RETURNING id, \(row.columns)"]
    case .insertOrIgnore: return ["INSERT OR IGNORE \(insert)"]
    case .insertOrReplace: return ["INSERT OR REPLACE \(insert)"]
    case .replaceInto: return ["REPLACE \(insert)"]
    case .upsertNothing:
      return ["INSERT \(insert) ON CONFLICT\(pick(["", "(id)"])) DO NOTHING"]
    case .upsertUpdate: return ["INSERT \(insert) ON CONFLICT(id) DO UPDATE SET \(update)"]
    case .upsertWhere:
      return [
        "INSERT \(insert) ON CONFLICT(id) DO UPDATE SET \(update) WHERE \(condition(table, "\(name)."))"
      ]
    case .upsertSelect:
      guard let other = anyTable(where: { $0.id == table.id }) else { return [] }
      return [
        """
        INSERT INTO \(name)(id) SELECT id FROM \(quoted(tables[other].name)) WHERE TRUE
          ON CONFLICT(id) DO UPDATE SET \(update)
        """
      ]
    case .insertSelect: return insertSelect(number)
    case .insertRecursive:
      guard table.id.isInteger else { return [] }
      return [
        """
        WITH RECURSIVE n(i) AS (SELECT \(pick(["1", "50"])) UNION ALL SELECT i + 1 FROM n WHERE i < \(pick(["3", "53"])))
          INSERT \(pick(["", "OR IGNORE "]))INTO \(name)(id) SELECT i FROM n
        """
      ]
    default: return nil
    }
  }

  private mutating func insertSelect(_ number: Int) -> [String] {
    let target = tables[number]
    guard let other = anyTable(where: { $0.id.affinity == target.id.affinity }) else { return [] }
    let source = tables[other]
    var (columns, values) = (["id"], [idShifted(target)])
    for column in target.writable {
      let same = source.columns.filter { $0.kind == column.kind }
      guard column.isRequired || !same.isEmpty && chance(60) else { continue }
      columns.append(quoted(column.name))
      values.append(
        same.isEmpty ? literal(column.kind) : expression(column.kind, source)
      )
    }
    return [
      """
      INSERT \(pick(["", "", "OR IGNORE ", "OR REPLACE "]))INTO \(quoted(target.name))(\(columns.joined(separator: ", ")))
        SELECT \(values.joined(separator: ", ")) FROM \(quoted(source.name)) WHERE \(condition(source)) ORDER BY id
      """
    ]
  }

  /// The ID of a row as an expression that gives another one of the kind.
  private mutating func idShifted(_ table: Table) -> String {
    switch table.id {
    case .string: pick(["id", "'n' || id", "id || '-2'"])
    case .uuid: pick(["id", "substr(id, 1, 35) || 'F'"])
    case .uint64: pick(["id", "12"])
    default: pick(["id", "id + 100", "id + 1", "id - 1"])
    }
  }

  private mutating func changed(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable() else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    guard let set = assignments(table) else {
      return form.rawValue.hasPrefix("update") || form == .shiftIDs ? [] : nil
    }
    let column = pick(table.writable)
    let other = pick(tables)
    switch form {
    case .update: return ["UPDATE \(name) SET \(set)"]
    case .updateWhere: return ["UPDATE \(name) SET \(set) WHERE \(condition(table))"]
    case .updateNull:
      return ["UPDATE \(name) SET \(quoted(column.name)) = NULL WHERE \(condition(table))"]
    case .updateReturning:
      return ["UPDATE \(name) SET \(set) WHERE \(condition(table)) RETURNING *"]
    case .updateTuple:
      let second = pick(table.writable)
      guard second != column else { return [] }
      return [
        """
        UPDATE \(name) SET (\(quoted(column.name)), \(quoted(second.name))) =
          (SELECT \(literal(column.kind)), \(literal(second.kind)))
        """
      ]
    case .updateFrom:
      guard let source = anyTable(where: { $0.id.affinity == table.id.affinity }) else { return [] }
      return [
        """
        UPDATE \(name) SET \(quoted(column.name)) = \(value(of: column, from: tables[source]))
          FROM \(quoted(tables[source].name)) f WHERE f.id = \(name).id
        """
      ]
    case .updateCorrelated:
      return [
        """
        UPDATE \(name) SET \(quoted(column.name)) =
          (SELECT \(value(of: column, from: other)) FROM \(quoted(other.name)) f ORDER BY f.id LIMIT 1)
        """
      ]
    case .updateCTE:
      return [
        """
        WITH chosen AS (SELECT id FROM \(name) WHERE \(condition(table)))
          UPDATE \(name) SET \(set) WHERE id IN chosen
        """
      ]
    case .updateOrReplace, .updateOrIgnore:
      let word = form == .updateOrReplace ? "REPLACE" : "IGNORE"
      let (id, rows) = (idShifted(table), condition(table))
      // Several rows would take one ID in an order that SQLite does not promise.
      let one = "id = (SELECT id FROM \(name) WHERE \(rows) ORDER BY id LIMIT 1)"
      return ["UPDATE OR \(word) \(name) SET id = \(id) WHERE \(id == "12" ? one : rows)"]
    case .updateID:
      return ["UPDATE \(name) SET id = \(newID(table)) WHERE id = \(newID(table))"]
    case .shiftIDs:
      let shift =
        switch table.id {
        case .string: pick(["'x' || id", "id || 'x'"])
        case .uuid: "substr(id, 1, 34) || substr(id, 36, 1) || substr(id, 35, 1)"
        case .uint64: "id"
        default: pick(["id + 100", "id + 1", "id - 1", "-id", "id * 10"])
        }
      return ["UPDATE \(name) SET id = \(shift)"]
    default: return nil
    }
  }

  /// An expression of the kind of a column over `f`.
  private mutating func value(of column: Table.Column, from source: Table) -> String {
    column.kind == .json || column.kind == .any
      ? "NULL" : expression(column.kind, source, "f.")
  }

  private mutating func removed(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable() else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    switch form {
    case .delete: return ["DELETE FROM \(name) WHERE \(condition(table))"]
    case .deleteAll: return ["DELETE FROM \(name)"]
    case .deleteIn:
      return [
        """
        DELETE FROM \(name) WHERE id \(pick(["IN", "NOT IN"])) (SELECT id FROM \(name) WHERE \(condition(table)))
        """
      ]
    case .deleteUsing:
      let shared = quoted(table.columns.isEmpty ? "id" : pick(table.columns).name)
      return [
        """
        DELETE FROM \(name) WHERE id \(pick(["IN", "NOT IN"]))
          (SELECT a.id FROM \(name) a JOIN \(name) b USING (\(shared)) WHERE \(condition(table, "a.")))
        """
      ]
    case .deleteNatural:
      let other = quoted(pick(tables).name)
      return [
        """
        DELETE FROM \(name) WHERE id \(pick(["IN", "NOT IN"]))
          (SELECT a.id FROM \(name) a NATURAL \(pick(["", "LEFT "]))JOIN \(other) b)
        """
      ]
    case .deleteCTE:
      return [
        "WITH gone AS (SELECT id FROM \(name) ORDER BY id LIMIT 1) DELETE FROM \(name) WHERE id IN gone"
      ]
    case .deleteReturning:
      return ["DELETE FROM \(name) WHERE \(condition(table)) RETURNING id"]
    case .select:
      return [
        "SELECT count(*), max(id) FROM \(name) a LEFT JOIN \(quoted(pick(tables).name)) b USING (id)"
      ]
    case .values: return ["VALUES (1), (2)"]
    case .reindex: return ["REINDEX"]
    default: return nil
    }
  }
}
