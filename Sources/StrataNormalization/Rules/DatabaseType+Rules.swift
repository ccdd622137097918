extension DatabaseType {
  /// Completes the edit that led from `old` to this database: applies the removal rules of the schema,
  /// checks uniqueness, and returns the resulting changes.
  ///
  /// O(changed entities · log n). A store does this at the end of each commit; call it yourself for a
  /// database outside a store. Throws the first violation. Removals that have cascaded by then stay, so
  /// discard the value.
  @discardableResult
  public mutating func applyRules(since old: Self) throws(RuleViolation) -> ChangeSet {
    let schema = Self.schema
    var changes = ChangeSet(from: old, to: self, schema: schema)
    if changes.isEmpty { return changes }
    if !schema.rules.isEmpty {
      var removed = schema.removed(by: changes)
      if apply(schema, after: &removed) {
        changes = ChangeSet(from: old, to: self, schema: schema)
      }
      for removed in removed {
        for rule in schema.rules { try rule.check(removed, in: self) }
      }
    }
    for table in schema.tables where changes.concerns(table.name) {
      try table.checkUniqueness(of: self)
    }
    return changes
  }

  /// Throws the first violation of uniqueness.
  ///
  /// O(indexes).
  public func checkUniqueness() throws(RuleViolation) {
    for table in Self.schema.tables { try table.checkUniqueness(of: self) }
  }

  /// Adds the entities that are removed with those that were removed; returns whether anything changed.
  private mutating func apply(
    _ schema: DatabaseSchema<Self>,
    after removed: inout [any RemovedEntities]
  ) -> Bool {
    var isChanged = false
    var next = 0
    while next < removed.count {
      for rule in schema.rules {
        let more = rule.apply(after: removed[next], in: &self, &isChanged)
        if let more { removed.append(more) }
      }
      next += 1
    }
    return isChanged
  }
}

extension DatabaseSchema {
  /// The entities that the changes removed from tables with a rule.
  func removed(by changes: ChangeSet) -> [any RemovedEntities] {
    let targets = rules.map(\.paths.to)
    return tables.compactMap { table in
      targets.contains(table.place) ? table.removed(by: changes) : nil
    }
  }

  func name(of path: AnyKeyPath) -> TableName? {
    tables.first { $0.place == path }?.name
  }
}

extension ChangeSet {
  func concerns(_ table: TableName) -> Bool { tables.contains { $0.table == table } }
}

extension SchemaTable {
  func checkUniqueness(of database: Database) throws(RuleViolation) {
    guard let found = database[keyPath: path].indexes.violation() else { return }
    throw .notUnique(table: name, index: found.index, key: found.key, ids: found.ids)
  }

  func removed(by changes: ChangeSet) -> (any RemovedEntities)? {
    let ids = changes.changes(of: Entity.self, in: name).compactMap { change in
      if case .remove(let id) = change { id } else { nil }
    }
    return ids.isEmpty ? nil : RemovedIDs(table: path, ids: ids)
  }
}
