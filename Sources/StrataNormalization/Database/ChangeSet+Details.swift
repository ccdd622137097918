import StrataBase

extension ChangeSet {
  /// The changes as text, with the fields that differ from those in `old`.
  ///
  /// ```
  /// books
  ///   + 3  Book(id: 3, title: "Solaris")
  ///   ~ 7  title: "Edn" → "Eden"
  ///   - 9
  /// ```
  ///
  /// Tables are in the order of their names, entities in the order of the text of their IDs.
  /// O(changes · log n), by reflection.
  public func details<Database: DatabaseType>(since old: Database) -> String {
    let schema = Database.schema
    return tables.flatMap { changes -> [String] in
      let lines = schema.table(named: changes.table)?.details(of: changes, since: old) ?? []
      return [changes.table.text] + lines.map { "  \($0)" }
    }
    .joined(separator: "\n")
  }
}

extension SchemaTable {
  func details(of changes: any AnyTableChanges, since old: Database) -> [String] {
    guard let changes = changes as? TableChanges<Entity> else { return [] }
    let table = old[keyPath: path]
    return changes.changes.map { ("\($0.id)", $0) }.inOrder { $0.0 < $1.0 }.map { id, change in
      switch change {
      case .remove: "- \(id)"
      case .put(let entity):
        table[entity.id].map { "~ \(id)  \(fieldsThatDiffer(from: $0, to: entity))" }
          ?? "+ \(id)  \(entity)"
      }
    }
  }
}

private func fieldsThatDiffer(from old: Any, to new: Any) -> String {
  let pairs = zip(Mirror(reflecting: old).children, Mirror(reflecting: new).children)
  let fields = pairs.compactMap { old, new -> String? in
    let (before, after) = (String(reflecting: old.value), String(reflecting: new.value))
    return before == after ? nil : "\(new.label ?? "value"): \(before) → \(after)"
  }
  return fields.isEmpty ? "written again" : fields.joined(separator: ", ")
}
