extension ChangeSet {
  /// What has to be done to `old` to make it equal to `new`.
  ///
  /// O(touched) for a table that descends from the sealed one in `old`, O(n) with one `==` an
  /// entity where a whole table was assigned. A recorded put is kept even if the entity is equal.
  public init<Database: DatabaseType>(from old: Database, to new: Database) {
    self.init(from: old, to: new, schema: Database.schema)
  }

  package init<Database: DatabaseType>(
    from old: Database,
    to new: Database,
    schema: DatabaseSchema<Database>
  ) {
    self.init(tables: schema.tables.compactMap { $0.changes(from: old, to: new) })
  }
}

extension SchemaTable {
  func changes(from old: Database, to new: Database) -> (any AnyTableChanges)? {
    let changes = new[keyPath: path].changes(from: old[keyPath: path])
    return changes.isEmpty ? nil : TableChanges(table: name, changes: changes)
  }
}

extension EntityTable {
  func changes(from old: EntityTable) -> [EntityChange<Entity>] {
    guard let touched = Recording.touched(from: old.recording, to: recording) else {
      return comparedChanges(from: old)
    }
    return touched.compactMap { id in
      if let entity = self[id] { return .put(entity) }
      return old.contains(id) ? .remove(id) : nil
    }
  }

  private func comparedChanges(from old: EntityTable) -> [EntityChange<Entity>] {
    var changes: [EntityChange<Entity>] = []
    for entity in self where old[entity.id] != entity { changes.append(.put(entity)) }
    for id in old.ids where !contains(id) { changes.append(.remove(id)) }
    return changes
  }
}
