import StrataNormalization

extension DatabaseType {
  /// The entities that differ from what these changes made of them, as table and ID, sorted.
  ///
  /// O(changes · log n), with one `==` an entity.
  func entitiesChanged(since changes: ChangeSet) -> [String] {
    let schema = Self.schema
    return changes.tables.flatMap {
      schema.table(named: $0.table)?.entitiesChanged(since: $0, in: self) ?? []
    }.sorted()
  }
}

extension SchemaTable {
  fileprivate func entitiesChanged(
    since changes: any AnyTableChanges,
    in database: Database
  ) -> [String] {
    guard let changes = changes as? TableChanges<Entity> else { return [] }
    return changes.changes.compactMap { change in
      let current = database[keyPath: path][change.id]
      let isUnchanged =
        switch change {
        case .put(let entity): current == entity
        case .remove: current == nil
        }
      return isUnchanged ? nil : "\(name) \(change.id)"
    }
  }
}
