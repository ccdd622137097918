public import StrataCore
public import StrataNormalization

/// How two versions of an entity table differ: entity by entity, each under its ID.
///
/// All differences of tables of one entity type are the same, whoever made them.
@usableFromInline
struct EntityDifference<Entity: EntityType>: KeyedDifference {
  @inlinable
  init() {}

  @inlinable
  func elements(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>] {
    new.changes(from: old)
  }

  @inlinable
  func key(of change: EntityChange<Entity>) -> EntityID<Entity> { change.id }

  @inlinable
  func part(of table: EntityTable<Entity>, under id: EntityID<Entity>) -> Entity? { table[id] }

  @inlinable
  func part(of change: EntityChange<Entity>, in table: EntityTable<Entity>) -> Entity? {
    if case .put(let entity) = change { entity } else { nil }
  }

  /// Entities are never compared with their `==`; one whose bytes are as they were is the same.
  @inlinable
  func isSame(_ old: Entity?, _ new: Entity?) -> Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): HeldBytes.areEqual(old, new)
    default: false
    }
  }
}
