extension DatabaseType {
  /// Completes the edit that led from `old` to this database: applies the removal rules of the schema,
  /// checks uniqueness, that new references lead to entities, and the checks, and returns the resulting changes.
  ///
  /// What broke a rule in `old` already is not checked again: a key that several entities had stays
  /// allowed to them until all but one have another, and so does a reference that led to nothing. A check
  /// must hold for each entity that changed, whatever it was before.
  ///
  /// O(changed entities · log n). A store does this at the end of each commit; call it yourself for a
  /// database outside a store. Throws the first violation. Removals that have cascaded by then stay, so
  /// discard the value.
  @discardableResult
  public mutating func applyRules(since old: Self) throws(RuleViolation) -> ChangeSet {
    var byRules = ChangeSet()
    return try applyRules(since: old, &byRules)
  }

  /// The same, reporting what the rules of removals have changed after the edit.
  package mutating func applyRules(
    since old: Self,
    _ byRules: inout ChangeSet
  ) throws(RuleViolation) -> ChangeSet {
    try withUnsafePointer(to: old) { (old) throws(RuleViolation) in
      try withUnsafeMutablePointer(to: &self) { (new) throws(RuleViolation) in
        try Self.applyRules(from: old, to: new, &byRules)
      }
    }
  }

  /// The same for two databases that are not copied.
  @usableFromInline
  package static func applyRules(
    from old: UnsafePointer<Self>,
    to new: UnsafeMutablePointer<Self>,
    _ byRules: inout ChangeSet
  ) throws(RuleViolation) -> ChangeSet {
    let schema = Self.schema
    var changes = ChangeSet(from: old, to: UnsafePointer(new), schema: schema)
    if changes.isEmpty { return changes }
    if !schema.rules.isEmpty {
      var removed = schema.removed(by: changes)
      if !removed.isEmpty {
        let edited = new.pointee
        if new.pointee.apply(schema, after: &removed) {
          changes = ChangeSet(from: old, to: UnsafePointer(new), schema: schema)
          byRules = ChangeSet(from: edited, to: new.pointee, schema: schema)
        }
        for removed in removed {
          for rule in schema.rules { try rule.check(removed, in: edited) }
        }
      }
      for (rule, table) in zip(schema.rules, schema.ruleTables) where changes.concerns(table) {
        try rule.check(after: changes, of: table, from: old.pointee, in: new.pointee)
      }
    }
    for table in schema.indexed where changes.concerns(table.name) {
      let violations = table.violations(of: UnsafePointer(new), since: old)
      if let violation = violations.first { throw violation }
    }
    return changes
  }

  /// Throws the first of the ``brokenRules()``.
  ///
  /// O(indexes), and O(n) for each check.
  public func checkRules() throws(RuleViolation) {
    if let violation = brokenRules().first { throw violation }
  }

  /// All violations of unique keys and checks: one for each key that several entities of a table have, sorted, then one for
  /// each check that does not hold for all entities.
  ///
  /// What references lead to is another question: see ``danglingReferences()``. O(indexes + violations), and O(n) for each
  /// check.
  public func brokenRules() -> [RuleViolation] {
    let schema = Self.schema
    let clashes = withUnsafePointer(to: self) { database in
      schema.tables.flatMap { $0.violations(of: database, since: nil) }
    }
    return clashes
      + zip(schema.rules, schema.ruleTables).compactMap { $0.violation(in: self, of: $1) }
  }

  /// Adds the entities that are removed with those that were removed; returns whether anything changed.
  private mutating func apply(
    _ schema: DatabaseSchema<Self>,
    after removed: inout [RemovedEntities]
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
  func removed(by changes: ChangeSet) -> [RemovedEntities] {
    let targets = rules.compactMap(\.target)
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
  /// The violations of uniqueness that `old` does not have.
  func violations(
    of database: UnsafePointer<Database>,
    since old: UnsafePointer<Database>?
  ) -> [RuleViolation] {
    indexes(in: database).violations(since: old.map { indexes(in: $0) }).map {
      .notUnique(table: name, index: $0.index, key: $0.key, ids: $0.ids)
    }
  }

  func removed(by changes: ChangeSet) -> RemovedEntities? {
    let ids = changes.changes(of: Entity.self, in: name).compactMap { change in
      if case .remove(let id) = change { id } else { nil }
    }
    return ids.isEmpty ? nil : RemovedEntities(path, ids)
  }
}

extension DatabaseType {
  /// The references that lead to no entity, of each rule that checks existence.
  ///
  /// O(referenced IDs · log n).
  public func danglingReferences() -> [DanglingReferences] {
    Self.schema.rules.compactMap { $0.danglingReferences(in: self) }
  }
}
