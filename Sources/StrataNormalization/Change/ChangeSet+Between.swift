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

extension EntityTable {
  /// The changes that make `old` equal to this table: one for each entity that differs, in unspecified
  /// order.
  ///
  /// If one of the tables was made by copying and changing the other, an entity that was written differs
  /// unless all its bytes are equal; its `==` is not called. O(different entities · log n).
  /// If they were built separately, entities of one ID are compared with `==`. O(n).
  @inlinable
  public func changes(from old: EntityTable) -> [EntityChange<Entity>] {
    let difference: TrieDifference<Entity>
    if lineage === old.lineage {
      difference = storage.difference(from: old.storage) { $0.hasBytes(of: $1) }
    } else {
      difference = storage.difference(from: old.storage) {
        $0.hasBytes(of: $1) || $0.pointee == $1.pointee
      }
    }
    if difference.put.isEmpty, difference.removed.isEmpty { return [] }
    var changes: [EntityChange<Entity>] = []
    changes.reserveCapacity(difference.put.count + difference.removed.count)
    withExtendedLifetime((self, old)) {
      for place in difference.put { changes.append(.put(place.pointee)) }
      for place in difference.removed { changes.append(.remove(place.pointee.id)) }
    }
    return changes
  }

  /// The same as the changes of a named table; nil if there are none.
  @inlinable
  func changes(from old: EntityTable, as name: TableName) -> TableChanges<Entity>? {
    if storage.root === old.storage.root { return nil }
    let changes = changes(from: old)
    if changes.isEmpty { return nil }
    let compared = ComparedTables(old: old.storage.root, new: storage.root)
    return TableChanges(table: name, changes: changes, between: compared)
  }
}
