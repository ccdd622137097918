extension EntityTable {
  /// The number of entities.
  ///
  /// O(1).
  @inlinable
  public var count: Int { storage.count }

  /// Whether there are no entities.
  ///
  /// O(1).
  @inlinable
  public var isEmpty: Bool { storage.isEmpty }

  /// The entity with this ID, or nil.
  ///
  /// O(log n), about as fast as a dictionary.
  @inlinable
  public subscript(id: ID) -> Entity? { storage[id] }

  /// The entity with this ID, or nil.
  ///
  /// O(log n).
  @inlinable
  public func find(by id: ID) -> Entity? { storage[id] }

  /// The entities with these IDs, in their order; absent ones are left out.
  ///
  /// O(m log n).
  @inlinable
  public func find(in ids: some Sequence<ID>) -> [Entity] { ids.compactMap { storage[$0] } }

  /// Whether there is an entity with this ID.
  ///
  /// O(log n).
  @inlinable
  public func contains(_ id: ID) -> Bool { storage.contains(id) }

  /// All IDs, in unspecified order.
  @inlinable
  public var ids: some Collection<ID> & Sendable { HashTrieIDs(storage) }
}
