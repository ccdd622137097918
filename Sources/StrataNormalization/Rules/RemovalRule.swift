/// What happens to the entities that refer to one that a commit removes.
public struct RemovalRule<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  enum Effect: Sendable {
    case restrict
    case cascade
    case change(@Sendable (inout Entity, Key) -> Void)
  }

  let effect: Effect

  /// The commit is refused with ``RuleViolation/stillReferenced(table:id:by:ids:)``, unless the
  /// entities that refer to the removed one are removed in the same commit.
  public static var restrict: RemovalRule { RemovalRule(effect: .restrict) }

  /// The entities that refer to it are removed too, and so on.
  public static var cascade: RemovalRule { RemovalRule(effect: .cascade) }

  /// The field that refers to it is set to nil.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Key?> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, _ in entity[keyPath: field] = nil })
  }

  /// Its ID is removed from the list of IDs that refers to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, [Key]> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, key in entity[keyPath: field].removeAll { $0 == key } })
  }

  /// Its ID is removed from the set of IDs that refers to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Set<Key>> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, key in entity[keyPath: field].remove(key) })
  }
}
