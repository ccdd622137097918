public import StrataCore
public import StrataNormalization

/// What can be derived from one entity table of a store; the methods of dispatchers build on it.
@usableFromInline
struct EntityDerivations<Root: Sendable, Activity: Sendable, Entity: EntityType>: Sendable {
  @usableFromInline let keyed: KeyedDerivations<Root, Activity, IDDifference<Entity>>

  @inlinable
  init(_ keyed: KeyedDerivations<Root, Activity, IDDifference<Entity>>) { self.keyed = keyed }
}

extension DispatcherType {
  /// Inlined where the types are known, so that the work of a commit is specialized for them.
  @inlinable
  func entities<Entity: EntityType>(
    _ table: StatePath<Scope, EntityTable<Entity>>
  ) -> EntityDerivations<State, Activity, Entity> {
    EntityDerivations(keyed(by: IDDifference(), at: table))
  }
}

extension EntityDerivations {
  /// The entity, nil while there is none.
  @usableFromInline
  func entity(_ id: EntityID<Entity>) -> Derived<Entity?> {
    keyed.part(under: id)
  }

  /// The entity, retained when it is removed; nil when there is none now.
  @usableFromInline
  func retained(_ id: EntityID<Entity>) -> Derived<RetainedEntity<Entity>>? {
    let present = entity(id)
    guard let entity = present.value else { return nil }
    return keyed.shared(ObjectIdentifier(RetainedEntity<Entity>.self), under: id) {
      present.retaining(
        RetainingRule(
          seed: RetainedEntity(entity),
          value: { $0.map { RetainedEntity($0) } },
          retained: \.removed
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
    keyed.differences.sinkValue(first: .nextCommit, queue: queue) { target, changes in
      receive(target, EntityChanges(changes))
    }
  }
}

/// An entity that outlives its removal: its last value, and whether it was removed.
///
/// Its properties read as the entity's: `user.name`.
@dynamicMemberLookup
public struct RetainedEntity<Entity: EntityType>: Sendable {
  /// The entity; while it is removed, its last value.
  public let entity: Entity
  /// Whether the table has no entity with this ID now.
  public let isRemoved: Bool

  init(_ entity: Entity, isRemoved: Bool = false) {
    self.entity = entity
    self.isRemoved = isRemoved
  }

  /// A property of the entity.
  public subscript<T>(dynamicMember property: KeyPath<Entity, T>) -> T {
    entity[keyPath: property]
  }

  var removed: RetainedEntity { RetainedEntity(entity, isRemoved: true) }
}

extension RetainedEntity: Identifiable {
  /// The identity of the entity.
  public var id: EntityID<Entity> { entity.id }
}

extension RetainedEntity: Equatable {
  /// Equal when the entities are equal and both are removed or neither is.
  public static func == (a: RetainedEntity, b: RetainedEntity) -> Bool {
    a.isRemoved == b.isRemoved && a.entity == b.entity
  }
}
