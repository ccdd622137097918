/// What happens to the entities that refer to one that a commit removes.
public struct RemovalRule<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  enum Effect: Sendable {
    case restrict
    case cascade
    case change(@Sendable (inout Entity, Key) -> Void)
  }

  let effect: Effect

  /// The commit is refused with ``RuleViolation/stillReferenced(table:id:by:ids:)``, unless those
  /// who refer to the entity go in the same commit.
  public static var restrict: RemovalRule { RemovalRule(effect: .restrict) }

  /// They are removed too, and so on.
  public static var cascade: RemovalRule { RemovalRule(effect: .cascade) }

  /// The field by which they refer to it becomes nil.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Key?> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, _ in entity[keyPath: field] = nil })
  }

  /// The ID leaves the list of IDs by which they refer to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, [Key]> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, key in entity[keyPath: field].removeAll { $0 == key } })
  }

  /// The ID leaves the set of IDs by which they refer to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Set<Key>> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, key in entity[keyPath: field].remove(key) })
  }
}
