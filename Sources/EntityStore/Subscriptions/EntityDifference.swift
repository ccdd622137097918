import StrataCore
import StrataNormalization

/// How two versions of an entity table differ: entity by entity, each under its ID.
struct EntityDifference<Entity: EntityType>: KeyedDifference {
  func elements(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>] {
    new.changes(from: old)
  }

  func key(of change: EntityChange<Entity>) -> EntityID<Entity> { change.id }
}
