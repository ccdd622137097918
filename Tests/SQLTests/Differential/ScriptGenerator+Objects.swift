import StrataColumns

/// Statements about what is gone when the script ends: temporary tables, indexes, views and triggers.
extension ScriptGenerator {
  /// The statements of a form; nil for any other one.
  mutating func objectStatements(_ form: ScriptStatement.Form) -> [String]? {
    temporaries(form) ?? indexes(form) ?? views(form) ?? triggers(form)
  }

  private mutating func temporaries(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable(where: { !$0.isTemporary }) else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    switch form {
    case .createTemporary:
      let new = newName("temp")
      tables.append(
        Table(name: new, columns: [.init(name: "n", kind: .int64)], id: .int64, isTemporary: true)
      )
      return [
        "CREATE TEMP TABLE \(quoted(new))(id INTEGER PRIMARY KEY, n INTEGER)",
        "INSERT INTO \(quoted(new))(n) VALUES (\(literal(.int64)))",
      ]
    case .createTemporaryAs:
      let new = newName("temp")
      tables.append(
        Table(name: new, columns: table.columns, id: table.id, isTemporary: true, hasKey: false)
      )
      return ["CREATE TEMP TABLE \(quoted(new)) AS SELECT * FROM \(name)"]
    case .shadowTable:
      // The name means the temporary table, until that is dropped.
      guard let set = assignments(table) else { return [] }
      let end = chance(50) ? ["DROP TABLE temp.\(name)"] : []
      return ["CREATE TEMP TABLE \(name) AS SELECT * FROM \(name)", "UPDATE \(name) SET \(set)"]
        + end
    case .shadowView:
      return ["CREATE TEMP VIEW \(name) AS SELECT * FROM main.\(name)", "DROP VIEW temp.\(name)"]
    default: return nil
    }
  }

  private mutating func indexes(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable(where: { !$0.isTemporary }) else { return [] }
    let table = tables[number]
    let column = quoted(table.columns.isEmpty ? "id" : pick(table.columns).name)
    let place = "\(quoted(table.name))"
    let name = newName("index")
    switch form {
    case .createIndex:
      indexes.append(name)
      return ["CREATE INDEX \(quoted(name)) ON \(place)(\(column) COLLATE NOCASE DESC, id)"]
    case .createUniqueIndex:
      indexes.append(name)
      return ["CREATE UNIQUE INDEX \(quoted(name)) ON \(place)(\(column))"]
    case .createPartialIndex:
      indexes.append(name)
      return ["CREATE INDEX \(quoted(name)) ON \(place)(\(column)) WHERE \(column) IS NOT NULL"]
    case .createExpressionIndex:
      indexes.append(name)
      return ["CREATE INDEX \(quoted(name)) ON \(place)(length(\(column)))"]
    case .dropIndex:
      return indexes.isEmpty ? [] : ["DROP INDEX \(quoted(indexes.removeLast()))"]
    default: return nil
    }
  }

  private mutating func views(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable(where: { !$0.isTemporary }) else { return [] }
    let table = tables[number]
    let name = quoted(table.name)
    switch form {
    case .createView, .createTemporaryView:
      let view = newName("view")
      views.append(view)
      let word = form == .createView ? "VIEW" : "TEMP VIEW"
      return [
        "CREATE \(word) \(quoted(view)) AS SELECT id, count(*) n FROM \(name) GROUP BY id"
      ]
    case .viewTrigger:
      guard let set = assignments(table) else { return [] }
      let view = newName("view")
      return [
        "CREATE VIEW \(quoted(view)) AS SELECT * FROM \(name)",
        """
        CREATE TRIGGER \(quoted(newName("trigger"))) INSTEAD OF DELETE ON \(quoted(view)) BEGIN
          UPDATE \(name) SET \(set) WHERE id = old.id; END
        """,
        "DELETE FROM \(quoted(view)) WHERE \(condition(table))",
      ]
    case .dropView:
      if let view = views.popLast() { return ["DROP VIEW \(quoted(view))"] }
      let view = quoted(newName("view"))
      return ["CREATE VIEW \(view) AS SELECT * FROM \(name)", "DROP VIEW \(view)"]
    default: return nil
    }
  }

  private mutating func triggers(_ form: ScriptStatement.Form) -> [String]? {
    guard let number = anyTable(where: { !$0.isTemporary }) else { return [] }
    let (table, other) = (tables[number], pick(tables.filter { !$0.isTemporary }))
    let name = quoted(table.name)
    guard let set = assignments(other) else { return form == .dropTrigger ? [] : nil }
    let trigger = newName("trigger")
    let start = "CREATE \(pick(["", "", "TEMP "]))TRIGGER \(quoted(trigger))"
    let update = "UPDATE \(quoted(other.name)) SET \(set)"
    switch form {
    case .insertTrigger:
      triggers.append(trigger)
      return ["\(start) AFTER INSERT ON \(name) BEGIN \(update); END"]
    case .updateTrigger:
      triggers.append(trigger)
      let column = quoted(table.columns.isEmpty ? "id" : pick(table.columns).name)
      return [
        """
        \(start) AFTER UPDATE OF \(column) ON \(name) WHEN old.\(column) IS NOT new.\(column)
          BEGIN \(update) WHERE id = new.id; END
        """
      ]
    case .deleteTrigger:
      triggers.append(trigger)
      return [
        """
        \(start) AFTER DELETE ON \(name) BEGIN DELETE FROM \(quoted(other.name)) WHERE id = old.id; END
        """
      ]
    case .beforeTrigger:
      triggers.append(trigger)
      let action = pick([
        "SELECT RAISE(IGNORE)", "SELECT RAISE(ABORT, 'not this row')",
        "DELETE FROM \(quoted(other.name)) WHERE id = new.id", update,
      ])
      return ["\(start) BEFORE \(pick(["INSERT", "UPDATE"])) ON \(name) BEGIN \(action); END"]
    case .dropTrigger:
      return triggers.isEmpty ? [] : ["DROP TRIGGER \(quoted(triggers.removeLast()))"]
    default: return nil
    }
  }
}
