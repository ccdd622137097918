import StrataNormalization
import StrataRecords
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
    var records = RecordComparison()
    let wanted = typed.changes.filter { change in
      guard case .put(let then) = change, let now = table[then.id] else { return true }
      if transform?.redacts(now, to: then) ?? false { return false }
      do {
        return try !records.areSame(transform?.redacted(now) ?? now, then)
      } catch {
        // One that cannot be encoded is refused where it is stored.
        return true
      }
    }
    return wanted.isEmpty ? nil : TableChanges(table: name, changes: wanted)
  }
}

/// Compares entities by the bytes that they are stored as.
private struct RecordComparison {
  private var writer = RecordWriter()

  mutating func areSame<Entity: EntityType>(_ first: Entity, _ second: Entity) throws -> Bool {
    var (writers, bytes) = ((writer, writer), ([UInt8](), [UInt8]()))
    let layout = try writers.0.encode(first, into: &bytes.0)
    let other = try writers.1.encode(second, into: &bytes.1)
    writer = writers.0
    return bytes.0 == bytes.1 && layout == other
  }
}
