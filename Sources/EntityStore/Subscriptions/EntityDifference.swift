import StrataCore
import StrataNormalization

/// How two versions of an entity table differ: entity by entity, each under its ID.
///
/// All differences of tables of one entity type are the same, whoever made them.
struct EntityDifference<Entity: EntityType>: KeyedDifference {
  typealias Changes =
    @Sendable (_ new: EntityTable<Entity>, _ old: EntityTable<Entity>) -> [EntityChange<Entity>]

  let changes: Changes

  func elements(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>] {
    changes(new, old)
  }

  func key(of change: EntityChange<Entity>) -> EntityID<Entity> { change.id }

  static func == (a: EntityDifference, b: EntityDifference) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
