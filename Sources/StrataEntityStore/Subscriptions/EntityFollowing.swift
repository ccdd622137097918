public import StrataCore
public import StrataNormalization

/// What can be followed of one table of a store: what the verbs of all dispatchers begin with.
@usableFromInline
struct EntityFollowing<Root: Sendable, Activity: Sendable, Entity: EntityType>: Sendable {
  /// The form of an entity that stays when it is removed.
  private struct Kept: Hashable {}

  @usableFromInline let keyed: KeyedDerivations<Root, Activity, EntityDifference<Entity>>

  @inlinable
  init(_ keyed: KeyedDerivations<Root, Activity, EntityDifference<Entity>>) { self.keyed = keyed }
}

extension DispatcherType {
  /// Made where the types are known, so that what a commit does for those who follow is compiled for
  /// them.
  @inlinable
  func following<Entity: EntityType>(
    _ table: StatePath<Scope, EntityTable<Entity>>
  ) -> EntityFollowing<State, Activity, Entity> {
    EntityFollowing(keyed(by: EntityDifference(), at: table))
  }
}

extension EntityFollowing {
  /// The entity, nil while there is none.
  @usableFromInline
  func entity(_ id: EntityID<Entity>) -> Derived<Entity?> {
    keyed.part(under: id)
  }

  /// The entity as it was last; nil when there is none now.
  @usableFromInline
  func kept(_ id: EntityID<Entity>) -> Derived<KeptEntity<Entity>>? {
    let present = entity(id)
    guard let entity = present.value else { return nil }
    return keyed.shared(Kept(), under: id) {
      present.keeping(
        KeepingRule(
          seed: KeptEntity(entity),
          value: { $0.map { KeptEntity($0) } },
          kept: \.removed
        )
      )
    }
  }

  @usableFromInline
  func sink(
    _ queue: TargetQueue,
    _ receive: @escaping @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    keyed.differences.sinkValue(first: .nextCommit, queue: queue) { receive(EntityChanges($0)) }
  }

  @usableFromInline
  func sink(
    _ queue: MainTargetQueue,
    _ receive: @escaping @MainActor @Sendable (EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    keyed.differences.sinkValue(first: .nextCommit, queue: queue) { receive(EntityChanges($0)) }
  }

  @usableFromInline
  func sink<Target: Actor>(
    _ queue: ActorTargetQueue<Target>,
    _ receive: @escaping @Sendable (isolated Target, EntityChanges<Entity>) -> Void
  ) -> StoreSubscription {
    keyed.differences.sinkValue(first: .nextCommit, queue: queue) { target, told in
      receive(target, EntityChanges(told))
    }
  }
}
