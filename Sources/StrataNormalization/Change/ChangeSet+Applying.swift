extension DatabaseType {
  /// This database with the changes applied to it.
  ///
  /// O(changes · log n). Changes of tables that are not in the schema are skipped.
  public func applying(_ changes: ChangeSet) -> Self {
    var database = self
    database.apply(changes)
    return database
  }

  /// Applies the changes.
  ///
  /// O(changes · log n).
  public mutating func apply(_ changes: ChangeSet) {
    let schema = Self.schema
    for changes in changes.tables {
      schema.table(named: changes.table)?.apply(changes, to: &self)
    }
  }
}

extension SchemaTable {
  func apply(_ changes: any AnyTableChanges, to database: inout Database) {
    guard let changes = changes as? TableChanges<Entity> else { return }
    for change in changes.changes {
      switch change {
      case .put(let entity): database[keyPath: path].insert(entity)
      case .remove(let id): database[keyPath: path].remove(id)
      }
    }
  }
}
