public import StrataCore
public import StrataNormalization

/// How two versions of an entity table differ: entity by entity, each under its ID.
///
/// All instances of one entity type are equal.
@usableFromInline
struct EntityDifference<Entity: EntityType>: KeyedDifference {
  @inlinable
  init() {}

  @inlinable
  func elements(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>,
    of commit: CommitAttachments
  ) -> [EntityChange<Entity>] {
    commit.changes(from: old, to: new)
  }

  @inlinable
  func key(of change: EntityChange<Entity>) -> EntityID<Entity> { change.id }

  @inlinable
  func part(of table: EntityTable<Entity>, under id: EntityID<Entity>) -> Entity? { table[id] }

  @inlinable
  func part(of change: EntityChange<Entity>, in table: EntityTable<Entity>) -> Entity? {
    if case .put(let entity) = change { entity } else { nil }
  }

  /// Entities are never compared with their `==`; one whose bytes are unchanged is the same.
  @inlinable
  func isSame(_ old: Entity?, _ new: Entity?) -> Bool {
    switch (old, new) {
    case (nil, nil): true
    case (let old?, let new?): BitwiseEquality.areEqual(old, new)
    default: false
    }
  }
}

extension CommitAttachments {
  /// How two versions of a table differ.
  ///
  /// They are compared only if no hook has computed this difference for the commit's change set: if the
  /// store has no ``DatabaseHook``, or the commit leads from another version of the table than `old`.
  @inlinable
  func changes<Entity: EntityType>(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>] {
    let computed = firstDifference { (changes: ChangeSet) in changes.changes(from: old, to: new) }
    return computed ?? new.changes(from: old)
  }
}
