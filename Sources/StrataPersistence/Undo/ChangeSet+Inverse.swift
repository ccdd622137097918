import StrataNormalization
import StrataStorage

extension ChangeSet {
  /// What undoes these changes: how their entities were in the database before.
  ///
  /// O(changes · log n).
  func inverse<Database: DatabaseType>(over old: Database) -> ChangeSet {
    let schema = Database.schema
    return ChangeSet(
      tables: tables.compactMap { schema.table(named: $0.table)?.inverse(of: $0, over: old) }
    )
  }
}

extension DatabaseType {
  /// The entities that are not as these changes left them, by table and ID.
  ///
  /// O(changes · log n), with one `==` an entity.
  func departures(from changes: ChangeSet) -> [String] {
    let schema = Self.schema
    return changes.tables.flatMap {
      schema.table(named: $0.table)?.departures(from: $0, in: self) ?? []
    }.sorted()
  }
}

extension SchemaTable {
  fileprivate func inverse(
    of changes: any AnyTableChanges,
    over old: Database
  ) -> (any AnyTableChanges)? {
    guard let changes = changes as? TableChanges<Entity> else { return nil }
    let inverse = changes.changes.compactMap { change -> EntityChange<Entity>? in
      let before = old[keyPath: path][change.id]
      switch (before, change) {
      case (let before?, _): return .put(before)
      case (nil, .put): return .remove(change.id)
      case (nil, .remove): return nil
      }
    }
    return inverse.isEmpty ? nil : TableChanges(table: name, changes: inverse)
  }

  fileprivate func departures(
    from changes: any AnyTableChanges,
    in database: Database
  ) -> [String] {
    guard let changes = changes as? TableChanges<Entity> else { return [] }
    return changes.changes.compactMap { change in
      let now = database[keyPath: path][change.id]
      let isAsLeft =
        switch change {
        case .put(let entity): now == entity
        case .remove: now == nil
        }
      return isAsLeft ? nil : "\(name) \(change.id)"
    }
  }
}
