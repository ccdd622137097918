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
      case .put(let entity): database[keyPath: path].restore(entity)
      case .remove(let id): database[keyPath: path].remove(id)
      }
    }
  }
}

extension ChangeSet {
  /// The changes that undo these after they were made to `old`.
  ///
  /// `old.applying(changes).applying(changes.inverted(in: old)) == old`. O(changes · log n). Changes
  /// of tables that are not in the schema are skipped, and so is the removal of an absent entity.
  public func inverted<Database: DatabaseType>(in old: Database) -> ChangeSet {
    let schema = Database.schema
    return withUnsafePointer(to: old) { old in
      ChangeSet(
        tables: tables.compactMap { changes in
          schema.table(named: changes.table)?.inverted(changes, in: old)
        }
      )
    }
  }
}

extension SchemaTable {
  func inverted(
    _ changes: any AnyTableChanges,
    in old: UnsafePointer<Database>
  ) -> (any AnyTableChanges)? {
    guard let changes = changes as? TableChanges<Entity> else { return nil }
    return access.inverting(changes, old)
  }
}

extension EntityTable {
  /// The changes that undo these after they were made to this table; nil if there are none.
  @inlinable
  func inverted(_ changes: TableChanges<Entity>) -> TableChanges<Entity>? {
    var inverted: [EntityChange<Entity>] = []
    inverted.reserveCapacity(changes.changes.count)
    for change in changes.changes {
      if let before = self[change.id] {
        inverted.append(.put(before))
      } else if case .put(let entity) = change {
        inverted.append(.remove(entity.id))
      }
    }
    if inverted.isEmpty { return nil }
    return TableChanges(table: changes.table, changes: inverted, between: nil)
  }
}
