#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension ChangeSet {
  /// The changes that make `old` equal to `new`.
  ///
  /// What the tables of the two share is skipped: O(different entities · log n) when one was made by
  /// copying and changing the other, however far apart they are, and O(n) where a table was built
  /// separately.
  public init<Database: DatabaseType>(from old: Database, to new: Database) {
    self.init(from: old, to: new, schema: Database.schema)
  }

  package init<Database: DatabaseType>(
    from old: Database,
    to new: Database,
    schema: DatabaseSchema<Database>
  ) {
    self = withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in ChangeSet(from: old, to: new, schema: schema) }
    }
  }

  /// The same for two databases that are not copied.
  ///
  /// A table whose bytes are equal is the same in both: each is held by its database.
  init<Database: DatabaseType>(
    from old: UnsafePointer<Database>,
    to new: UnsafePointer<Database>,
    schema: DatabaseSchema<Database>
  ) {
    let (oldBytes, newBytes) = (UnsafeRawPointer(old), UnsafeRawPointer(new))
    var tables: [any AnyTableChanges] = []
    for index in 0..<schema.tables.count {
      if let bytes = schema.bytes[index],
        memcmp(oldBytes + bytes.lowerBound, newBytes + bytes.lowerBound, bytes.count) == 0
      {
        continue
      }
      let table = schema.tables[index]
      if let changes = table.anyChanges(from: old, to: new) {
        tables.append(changes)
      }
    }
    self.init(tables: tables)
  }

  /// The changes from `old` to `new`, if comparing these two tables gave a part of this change set.
  ///
  /// Both tables must have been held since the comparison.
  @inlinable
  package func changes<Entity: EntityType>(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>]? {
    let compared = ComparedTables(old: old.storage.root, new: new.storage.root)
    for case let changes as TableChanges<Entity> in tables where changes.compared == compared {
      return changes.changes
    }
    return nil
  }
}

extension SchemaTable {
  fileprivate func anyChanges(
    from old: UnsafePointer<Database>,
    to new: UnsafePointer<Database>
  ) -> (any AnyTableChanges)? {
    changes(from: old, to: new)
  }
}
