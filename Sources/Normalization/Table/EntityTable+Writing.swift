extension EntityTable {
  /// Puts an entity: adds it, or replaces the one with its ID.
  ///
  /// O(log n). It returns nothing, so that a commit of one insert is a closure without a result.
  @inlinable
  public mutating func insert(_ entity: Entity) {
    touch(entity.id)
    storage.insert(entity)
  }

  /// Puts each of the entities; of two with the same ID the later one stays.
  ///
  /// O(m log n), and O(m) for an array put into an empty table.
  @inlinable
  public mutating func insert(contentsOf entities: some Sequence<Entity>) {
    if isEmpty, let built = entities.withContiguousStorageIfAvailable({ HashTrie($0) }) {
      storage = built
      recording?.touched.formUnion(HashTrieIDs(storage))
    } else {
      for entity in entities { insert(entity) }
    }
  }

  /// Changes the entity with this ID.
  ///
  /// O(log n).
  ///
  /// Throws ``EntityError/notFound(table:id:)`` when there is none,
  /// ``EntityError/idChanged(table:from:to:)`` when the closure gives it another ID, and what the
  /// closure throws; in each case the table is as it was.
  @inlinable
  @discardableResult
  public mutating func update<R>(_ id: ID, _ change: (inout Entity) throws -> R) throws -> R {
    let hash = TrieHash(id)
    guard var entity = storage[id, hash] else {
      throw EntityError.notFound(table: Entity.tableName, id: "\(id)")
    }
    let result = try change(&entity)
    try put(entity, over: id, hash)
    return result
  }

  /// Changes the entity with this ID if there is one, and gives it as it is then.
  ///
  /// O(log n).
  ///
  /// Throws as `update` does, except that an absent entity gives nil.
  @inlinable
  @discardableResult
  public mutating func updateIfExists(
    _ id: ID,
    _ change: (inout Entity) throws -> Void
  ) throws -> Entity? {
    let hash = TrieHash(id)
    guard var entity = storage[id, hash] else { return nil }
    try change(&entity)
    try put(entity, over: id, hash)
    return entity
  }

  /// Removes the entity with this ID and returns it, or nil when there is none.
  ///
  /// O(log n).
  @inlinable
  @discardableResult
  public mutating func remove(_ id: ID) -> Entity? {
    touch(id)
    return storage.remove(id)
  }

  /// Removes the entities with these IDs; absent ones are passed over.
  ///
  /// O(m log n).
  @inlinable
  public mutating func remove(in ids: some Sequence<ID>) {
    for id in ids { remove(id) }
  }

  /// Removes every entity.
  ///
  /// O(n).
  @inlinable
  public mutating func removeAll() {
    recording?.touched.formUnion(HashTrieIDs(storage))
    storage = HashTrie()
  }

  @inlinable
  mutating func put(_ entity: Entity, over id: ID, _ hash: TrieHash) throws {
    guard entity.id == id else {
      throw EntityError.idChanged(table: Entity.tableName, from: "\(id)", to: "\(entity.id)")
    }
    touch(id)
    storage.insert(entity, hash)
  }
}
