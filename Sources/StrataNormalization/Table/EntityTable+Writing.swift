extension EntityTable {
  /// Inserts an entity, or replaces the one with its ID.
  ///
  /// O(log n). It returns nothing, so that a commit of one insert is a closure without a result.
  @inlinable
  public mutating func insert(_ entity: Entity) {
    let hash = TrieHash(entity.id)
    if indexes.isEmpty {
      storage.insert(entity, hash)
    } else if let old = storage[entity.id, hash] {
      put(indexes.complete(entity, replacing: old), hash, replacing: old)
    } else {
      put(entity, hash, replacing: nil)
    }
  }

  /// The same, but the entity stays exactly as it is, also in a ``ManualOrder``: for changes that were made before.
  @inlinable
  mutating func restore(_ entity: Entity) {
    let hash = TrieHash(entity.id)
    put(entity, hash, replacing: indexes.isEmpty ? nil : storage[entity.id, hash])
  }

  /// Inserts or replaces each of the entities; of two with the same ID, the later one is kept.
  ///
  /// O(m log n), and O(m) for an array inserted into an empty table without indexes.
  @inlinable
  public mutating func insert(contentsOf entities: some Sequence<Entity>) {
    if isEmpty, let built = entities.withContiguousStorageIfAvailable({ HashTrie($0) }) {
      storage = built
      indexes.rebuild(from: storage)
    } else {
      for entity in entities { insert(entity) }
    }
  }

  /// Changes the entity with this ID.
  ///
  /// O(log n).
  ///
  /// Throws ``EntityError/notFound(table:id:)`` when there is none,
  /// ``EntityError/idChanged(table:from:to:)`` when the closure changes its ID, and what the
  /// closure throws; in each case the table is unchanged.
  @inlinable
  @discardableResult
  public mutating func update<R>(_ id: ID, _ change: (inout Entity) throws -> R) throws -> R {
    let hash = TrieHash(id)
    guard let old = storage[id, hash] else {
      throw EntityError.notFound(table: Entity.tableName, id: "\(id)")
    }
    var entity = old
    let result = try change(&entity)
    try checkID(of: entity, is: id)
    put(indexes.complete(entity, replacing: old), hash, replacing: old)
    return result
  }

  /// Changes the entity with this ID if there is one, and returns the changed entity.
  ///
  /// O(log n).
  ///
  /// Throws as `update` does, except that it returns nil for an absent entity.
  @inlinable
  @discardableResult
  public mutating func updateIfExists(
    _ id: ID,
    _ change: (inout Entity) throws -> Void
  ) throws -> Entity? {
    let hash = TrieHash(id)
    guard let old = storage[id, hash] else { return nil }
    var entity = old
    try change(&entity)
    try checkID(of: entity, is: id)
    entity = indexes.complete(entity, replacing: old)
    put(entity, hash, replacing: old)
    return entity
  }

  /// Changes the entities with these IDs, in their order; absent ones are skipped.
  ///
  /// O(m log n).
  ///
  /// Throws as `updateIfExists` does; then the table is unchanged.
  @inlinable
  public mutating func update(
    in ids: some Sequence<ID>,
    _ change: (inout Entity) throws -> Void
  ) throws {
    var copy = self
    for id in ids { try copy.updateIfExists(id, change) }
    self = copy
  }

  /// Changes every entity, in unspecified order.
  ///
  /// O(n log n).
  ///
  /// Throws as `updateIfExists` does; then the table is unchanged.
  @inlinable
  public mutating func updateAll(_ change: (inout Entity) throws -> Void) throws {
    try update(in: ids, change)
  }

  /// Removes the entity with this ID and returns it, or nil when there is none.
  ///
  /// O(log n).
  @inlinable
  @discardableResult
  public mutating func remove(_ id: ID) -> Entity? {
    let removed = storage.remove(id)
    if let removed, !indexes.isEmpty { indexes.change(from: removed, to: nil) }
    return removed
  }

  /// Removes the entities with these IDs; absent ones are skipped.
  ///
  /// O(m log n).
  @inlinable
  public mutating func remove(in ids: some Sequence<ID>) {
    for id in ids { remove(id) }
  }

  /// Removes every entity for which the predicate holds.
  ///
  /// O(n). Throws what the predicate throws; then the table is unchanged.
  @inlinable
  public mutating func removeAll(where isUnwanted: (Entity) throws -> Bool) rethrows {
    var unwanted: [ID] = []
    for entity in self where try isUnwanted(entity) { unwanted.append(entity.id) }
    remove(in: unwanted)
  }

  /// Removes every entity.
  ///
  /// O(1), except for freeing the entities that are not held elsewhere.
  @inlinable
  public mutating func removeAll() {
    storage = HashTrie()
    indexes.removeAll()
  }

  @inlinable
  mutating func put(_ entity: Entity, _ hash: TrieHash, replacing old: Entity?) {
    storage.insert(entity, hash)
    if !indexes.isEmpty { indexes.change(from: old, to: entity) }
  }

  @inlinable
  func checkID(of entity: Entity, is id: ID) throws {
    guard entity.id == id else {
      throw EntityError.idChanged(table: Entity.tableName, from: "\(id)", to: "\(entity.id)")
    }
  }
}

/// Why a change of an entity table was refused.
///
/// The table is unchanged.
public enum EntityError: Error, Equatable, CustomStringConvertible {
  /// There is no entity with this ID in the table.
  case notFound(table: TableName, id: String)
  /// The closure of an update gave the entity another ID.
  case idChanged(table: TableName, from: String, to: String)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .notFound(let table, let id):
      """
      There is no entity \(id) in \(table). Insert it first, or use updateIfExists where it may \
      be absent.
      """
    case .idChanged(let table, let from, let to):
      """
      An update of entity \(from) in \(table) changed its ID to \(to). Remove the entity and \
      insert one with the new ID.
      """
    }
  }
}
