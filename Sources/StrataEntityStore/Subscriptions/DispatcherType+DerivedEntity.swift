public import StrataCore
public import StrataNormalization

extension DispatcherType {
  /// The entity with this ID in the table at `table`, nil while there is none.
  ///
  /// ```swift
  /// let ada = store.derived(from: "ada", in: \.db.users)
  /// let subscription = ada.sinkValue { changes in show(changes.value?.name) }
  /// ```
  ///
  /// The path starts at the own scope. Subscribers are notified when the entity is inserted, changed,
  /// removed and inserted again, and not by commits that leave it unchanged. Entities are never
  /// compared with their `==`, so an `==` that compares only the ID hides no change. Whether an entity
  /// that is put again unchanged is delivered again is unspecified.
  ///
  /// Requesting the same table and ID again returns the same object as long as it is held. Reading
  /// `value` is O(log n). A commit costs O(entities changed + their subscribers), however many
  /// subscribers follow other entities.
  @inlinable
  public func derived<Entity: EntityType>(
    from id: EntityID<Entity>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> Derived<Entity?> {
    entities(table).entity(id)
  }

  /// The entities with these IDs, each as a derived value of its own; in the order of the IDs, including
  /// those that are absent now.
  ///
  /// Each is the same object as when requested alone. For one delivery per commit about all of them,
  /// combine them with `Derived.combined`, or use `derived(in:)` with a query.
  @inlinable
  public func derived<Entity: EntityType>(
    from ids: some Sequence<EntityID<Entity>>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> [Derived<Entity?>] {
    let entities = entities(table)
    return ids.map { entities.entity($0) }
  }

  /// The entity with this ID in the table at `table`, retained when it is removed.
  ///
  /// ```swift
  /// let ada = try store.derivedNonNull(from: "ada", in: \.db.users)
  /// let subscription = ada.sinkValue { changes in
  ///   show(changes.name, isGone: changes.value.isRemoved)
  /// }
  /// ```
  ///
  /// Subscribers are notified as those of `derived(from:in:)` are. The retained value is the newest that
  /// was delivered to a subscriber or read here; without subscribers, values between two reads are not
  /// seen.
  ///
  /// Throws `EntityError.notFound` when there is no such entity now.
  @inlinable
  public func derivedNonNull<Entity: EntityType>(
    from id: EntityID<Entity>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) throws -> Derived<RetainedEntity<Entity>> {
    guard let retained = entities(table).retained(id) else {
      throw EntityError.notFound(table: Entity.tableName, id: "\(id)")
    }
    return retained
  }

  /// The entities with these IDs, each as a derived value of its own that is retained when the entity is
  /// removed; in the order of the IDs, without those that are absent now.
  @inlinable
  public func derivedNonNull<Entity: EntityType>(
    from ids: some Sequence<EntityID<Entity>>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> [Derived<RetainedEntity<Entity>>] {
    let entities = entities(table)
    return ids.compactMap { entities.retained($0) }
  }
}

extension DispatcherType {
  /// The entities of one group of an index, in the order of the index.
  ///
  /// ```swift
  /// let posts = store.derived(Post.byAuthor, of: "ada", in: \.db.posts)
  /// let subscription = posts.sinkValue { changes in show(changes.value.suffix(10)) }
  /// ```
  ///
  /// The path starts at the own scope. Subscribers are notified when an entity enters or leaves the
  /// group, and when one in it is written; entities are never compared with their `==`. Nothing is
  /// copied: the value is a view of the table at that version.
  ///
  /// Requesting the same table, index and key again returns the same object as long as it is held. A
  /// commit costs O(entities changed + subscribers of their groups), however many subscribers follow
  /// other groups. The entity type must list the index.
  public func derived<Entity: EntityType, Key>(
    _ index: GroupIndex<Entity, Key>,
    of key: Key,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> Derived<IndexedEntities<Entity>> {
    keyed(by: GroupDifference(index: index), at: table).part(under: key)
  }
}

/// The same for a dispatcher whose scope is an entity table.
extension DispatcherType {
  /// The entity with this ID, nil while there is none.
  ///
  /// The same as `derived(from: id, in: table)` of the store.
  @inlinable
  public func derived<Entity>(from id: EntityID<Entity>) -> Derived<Entity?>
  where Scope == EntityTable<Entity> {
    derived(from: id, in: \.self)
  }

  /// The entity with this ID, retained when it is removed.
  ///
  /// Throws `EntityError.notFound` when there is no such entity now.
  @inlinable
  public func derivedNonNull<Entity>(
    from id: EntityID<Entity>
  ) throws -> Derived<RetainedEntity<Entity>> where Scope == EntityTable<Entity> {
    try derivedNonNull(from: id, in: \.self)
  }

  /// Calls `receive` for every commit that changes the table, in order, each once.
  @inlinable
  public func sinkEntityChanges<Entity>(
    queue: TargetQueue = .passthrough,
    receive: @escaping @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription where Scope == EntityTable<Entity> {
    sinkEntityChanges(in: \.self, queue: queue, receive: receive)
  }
}
