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
  /// The path starts at the own scope. Subscribers are told when the entity is inserted, changed,
  /// removed and inserted again, and nothing by commits that leave it alone. Entities are never
  /// compared with their `==`, so one that looks at the ID alone hides nothing; whether one that is put
  /// again as it was is told again is not promised.
  ///
  /// Asking again for the same table and ID gives the same object as long as someone keeps it.
  /// Reading `value` is O(log n). A commit costs O(entities changed + subscribers of those), however
  /// many subscribers follow other entities.
  @inlinable
  public func derived<Entity: EntityType>(
    from id: EntityID<Entity>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> Derived<Entity?> {
    following(table).entity(id)
  }

  /// The entities with these IDs, each to be followed on its own; in the order of the IDs, also those
  /// that are absent now.
  ///
  /// Each is the same as when asked for alone. To be told once a commit about all of them, put them
  /// together by `Derived.combined`, or use `derived(in:)` with a query.
  @inlinable
  public func derived<Entity: EntityType>(
    from ids: some Sequence<EntityID<Entity>>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> [Derived<Entity?>] {
    let following = following(table)
    return ids.map { following.entity($0) }
  }

  /// The entity with this ID in the table at `table`, which stays what it was last when it is removed.
  ///
  /// ```swift
  /// let ada = try store.derivedNonNull(from: "ada", in: \.db.users)
  /// let subscription = ada.sinkValue { changes in
  ///   show(changes.name, isGone: changes.value.isRemoved)
  /// }
  /// ```
  ///
  /// Subscribers are told as those of `derived(from:in:)` are. The last value is
  /// the newest that a subscriber was told or that was read here; without subscribers nobody sees
  /// what it becomes in between.
  ///
  /// Throws `EntityError.notFound` when there is no such entity at this moment.
  @inlinable
  public func derivedNonNull<Entity: EntityType>(
    from id: EntityID<Entity>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) throws -> Derived<KeptEntity<Entity>> {
    guard let kept = following(table).kept(id) else {
      throw EntityError.notFound(table: Entity.tableName, id: "\(id)")
    }
    return kept
  }

  /// The entities with these IDs, each to be followed on its own and kept when it is removed; in the
  /// order of the IDs, those that are absent now left out.
  @inlinable
  public func derivedNonNull<Entity: EntityType>(
    from ids: some Sequence<EntityID<Entity>>,
    in table: StatePath<Scope, EntityTable<Entity>>
  ) -> [Derived<KeptEntity<Entity>>] {
    let following = following(table)
    return ids.compactMap { following.kept($0) }
  }
}
