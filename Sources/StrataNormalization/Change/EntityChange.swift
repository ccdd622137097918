/// The change of one entity: it was put (inserted or replaced), or removed.
public enum EntityChange<Entity: EntityType>: Sendable, Equatable {
  /// The entity after the change.
  case put(Entity)
  /// The ID of the removed entity.
  case remove(EntityID<Entity>)

  /// The ID of the changed entity.
  public var id: EntityID<Entity> {
    switch self {
    case .put(let entity): entity.id
    case .remove(let id): id
    }
  }
}
