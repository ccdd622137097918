public import StrataNormalization

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
