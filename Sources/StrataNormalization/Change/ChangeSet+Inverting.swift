extension ChangeSet {
  /// What undoes these changes after they were made to `old`.
  ///
  /// `old.applying(changes).applying(changes.inverted(in: old)) == old`. O(changes · log n). Changes
  /// of tables that the schema does not have are passed over.
  public func inverted<Database: DatabaseType>(in old: Database) -> ChangeSet {
    let schema = Database.schema
    return ChangeSet(
      tables: tables.compactMap { changes in
        schema.table(named: changes.table)?.inverted(changes, in: old)
      }
    )
  }
}

extension SchemaTable {
  func inverted(_ changes: any AnyTableChanges, in old: Database) -> (any AnyTableChanges)? {
    guard let changes = changes as? TableChanges<Entity> else { return nil }
    let table = old[keyPath: path]
    let inverted = changes.changes.map { change -> EntityChange<Entity> in
      table[change.id].map { .put($0) } ?? .remove(change.id)
    }
    return TableChanges(table: changes.table, changes: inverted)
  }
}
