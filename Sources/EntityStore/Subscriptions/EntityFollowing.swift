public import StrataCore
public import StrataNormalization

/// What can be followed of one table of a store: what the verbs of all dispatchers begin with.
@usableFromInline
struct EntityFollowing<Root: Sendable, Activity: Sendable, Entity: EntityType>: Sendable {
  /// The forms in which one entity is followed.
  private enum Form: Hashable {
    case present
    case kept
  }

  fileprivate let keyed: KeyedDerivations<Root, Activity, EntityDifference<Entity>>
}

extension DispatcherType {
  /// Has the changes of a table found by code that is made where the type of the entities is known,
  /// and so compiled for it: several times as fast.
  @inlinable
  func following<Entity: EntityType>(
    _ table: StatePath<Scope, EntityTable<Entity>>
  ) -> EntityFollowing<State, Activity, Entity> {
    following(table) { new, old in new.changes(from: old) }
  }

  @usableFromInline
  func following<Entity: EntityType>(
    _ table: StatePath<Scope, EntityTable<Entity>>,
    _ changes:
      @escaping @Sendable (EntityTable<Entity>, EntityTable<Entity>) -> [EntityChange<Entity>]
  ) -> EntityFollowing<State, Activity, Entity> {
    EntityFollowing(keyed: keyed(by: EntityDifference(changes: changes), at: table))
  }
}

extension EntityFollowing {
  /// The entity, nil while there is none.
  @usableFromInline
  func entity(_ id: EntityID<Entity>) -> Derived<Entity?> {
    keyed.shared(Form.present, under: id) {
      keyed.derived(finding: id, .presentBytes()) { $0[id] }
    }
  }

  /// The entity as it was last; nil when there is none now.
  @usableFromInline
  func kept(_ id: EntityID<Entity>) -> Derived<KeptEntity<Entity>>? {
    let present = entity(id)
    guard let entity = present.value else { return nil }
    return keyed.shared(Form.kept, under: id) {
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
