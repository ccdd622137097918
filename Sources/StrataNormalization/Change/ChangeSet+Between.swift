extension ChangeSet {
  /// What has to be done to `old` to make it equal to `new`.
  ///
  /// What the tables of the two share is passed over: O(different entities · log n) when one came
  /// from the other, however far apart they are, and O(n) where a table was made anew.
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
    guard let changes = difference(from: old, to: new), !changes.isEmpty else { return nil }
    return TableChanges(table: name, changes: changes)
  }
}

extension EntityTable {
  /// What has to be done to `old` to make it equal to this table: one change for each entity that
  /// differs, in unspecified order.
  ///
  /// Of two tables of which one came from the other, an entity that was written differs unless every
  /// byte of it is the same: the entity's own `==` is not asked. O(different entities · log n).
  /// Of two tables that were made apart, entities of one ID are compared with `==`. O(n).
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

  /// Whether the two are one and the same table, for all that O(1) can tell.
  @inlinable
  func isIdentical(to other: EntityTable) -> Bool { storage.root === other.storage.root }
}
