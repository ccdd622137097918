extension ChangeSet {
  /// The changes that undo these after they were made to `old`.
  ///
  /// `old.applying(changes).applying(changes.inverted(in: old)) == old`. O(changes · log n). Changes
  /// of tables that are not in the schema are skipped, and so is the removal of an absent entity.
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
    let inverted = changes.changes.compactMap { change -> EntityChange<Entity>? in
      switch (table[change.id], change) {
      case (let before?, _): .put(before)
      case (nil, .put): .remove(change.id)
      case (nil, .remove): nil
      }
    }
    return inverted.isEmpty ? nil : TableChanges(table: changes.table, changes: inverted)
  }
}
