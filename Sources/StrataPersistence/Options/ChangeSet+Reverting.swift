import StrataNormalization
import StrataStorage

extension ChangeSet {
  /// These changes to `database`, without those that only come from the options of tables: changes
  /// to excluded tables, and puts of redacted entities whose present value would be redacted to the
  /// same.
  func reverting<Database: DatabaseType>(_ database: Database, _ policy: StoragePolicy) -> ChangeSet
  {
    let schema = Database.schema
    return ChangeSet(
      tables: filter(policy.stores).tables.compactMap { changes in
        schema.table(named: changes.table)?.reverting(changes, in: database, policy)
      }
    )
  }
}

extension SchemaTable {
  fileprivate func reverting(
    _ changes: any AnyTableChanges,
    in database: Database,
    _ policy: StoragePolicy
  ) -> (any AnyTableChanges)? {
    guard let transform: TableTransform<Entity> = policy.transform(of: name.text),
      !transform.redactions.isEmpty, let typed = changes as? TableChanges<Entity>
    else { return changes }
    let table = database[keyPath: path]
    let wanted = typed.changes.filter { change in
      guard case .put(let entity) = change, let now = table[entity.id] else { return true }
      return !transform.redacts(now, to: entity)
    }
    return wanted.isEmpty ? nil : TableChanges(table: name, changes: wanted)
  }
}
