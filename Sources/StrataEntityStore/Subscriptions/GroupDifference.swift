import StrataCore
import StrataNormalization

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
