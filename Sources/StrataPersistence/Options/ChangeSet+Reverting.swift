import StrataNormalization
import StrataStorage

extension ChangeSet {
  /// These changes to `database`, without those that would store the same again.
  ///
  /// An entity differs only if its record does. One with a value that equals nothing, such as NaN, differs from itself
  /// in memory. Changes to excluded tables are left out, and so are puts of redacted entities whose present value would
  /// be redacted to the same. O(changes).
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
    guard let typed = changes as? TableChanges<Entity> else { return changes }
    let table = database[keyPath: path]
    let transform: TableTransform<Entity>? = policy.transform(of: name.text)
    let wanted = typed.changes.filter { change in
      guard case .put(let then) = change, let now = table[then.id] else { return true }
      do throws(TableTransform<Entity>.IDChanged) {
        return !StoredComparison.areSame(try transform?.redacted(now) ?? now, then)
      } catch {
        // One that cannot be redacted is refused where it is stored.
        return true
      }
    }
    return wanted.isEmpty ? nil : TableChanges(table: name, changes: wanted)
  }
}
