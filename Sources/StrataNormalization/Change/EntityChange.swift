/// What happened to one entity: it was put (added or replaced), or removed.
public enum EntityChange<Entity: EntityType>: Sendable, Equatable {
  /// The entity as it is now.
  case put(Entity)
  /// The ID of an entity that is no longer there.
  case remove(EntityID<Entity>)

  /// Whom it happened to.
  public var id: EntityID<Entity> {
    switch self {
    case .put(let entity): entity.id
    case .remove(let id): id
    }
  }
}
