public import StrataNormalization

/// An entity as it was last, and whether it is still there.
///
/// Its properties read as the entity's: `kept.name`.
@dynamicMemberLookup
public struct KeptEntity<Entity: EntityType>: Sendable {
  /// The entity; while it is removed, as it was before.
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

  var removed: KeptEntity { KeptEntity(entity, isRemoved: true) }
}

extension KeptEntity: Identifiable {
  /// The identity of the entity.
  public var id: EntityID<Entity> { entity.id }
}

extension KeptEntity: Equatable {
  /// Equal when both are there or both are not, and the entities are equal.
  public static func == (a: KeptEntity, b: KeptEntity) -> Bool {
    a.isRemoved == b.isRemoved && a.entity == b.entity
  }
}
