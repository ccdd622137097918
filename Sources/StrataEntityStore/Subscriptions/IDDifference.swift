public import StrataCore
public import StrataNormalization

/// How two versions of an entity table differ: entity by entity, each under its ID.
///
/// All instances of one entity type are equal.
@usableFromInline
struct IDDifference<Entity: EntityType>: KeyedDifference {
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
  /// store has no `DatabaseHook`, or the commit leads from another version of the table than `old`.
  @inlinable
  func changes<Entity: EntityType>(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>
  ) -> [EntityChange<Entity>] {
    let computed = firstDifference { (changes: ChangeSet) in changes.changes(from: old, to: new) }
    return computed ?? new.changes(from: old)
  }
}

/// The groups of an index that differ between two versions of a table: those that a changed entity was
/// in, or is in.
struct GroupDifference<Entity: EntityType, Key: Hashable & Sendable>: KeyedDifference {
  let index: GroupIndex<Entity, Key>

  func elements(
    from old: EntityTable<Entity>,
    to new: EntityTable<Entity>,
    of commit: CommitAttachments
  ) -> [Key] {
    var keys: Set<Key> = []
    for change in commit.changes(from: old, to: new) {
      if let before = old[change.id] { keys.formUnion(index.keys(of: before)) }
      if case .put(let entity) = change { keys.formUnion(index.keys(of: entity)) }
    }
    return Array(keys)
  }

  func key(of key: Key) -> Key { key }

  func part(of table: EntityTable<Entity>, under key: Key) -> IndexedEntities<Entity> {
    table[index][key]
  }

  func isSame(_ old: IndexedEntities<Entity>, _ new: IndexedEntities<Entity>) -> Bool { false }

  static func == (a: GroupDifference, b: GroupDifference) -> Bool { a.index === b.index }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(index)) }
}
