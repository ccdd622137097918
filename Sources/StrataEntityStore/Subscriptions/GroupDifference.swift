import StrataCore
import StrataNormalization

/// Which groups of an index differ between two versions of a table: those that an entity which
/// differs was in, or is in.
struct GroupDifference<Entity: EntityType, Key: Hashable & Sendable>: KeyedDifference {
  let index: GroupIndex<Entity, Key>

  func elements(from old: EntityTable<Entity>, to new: EntityTable<Entity>) -> [Key] {
    var keys: Set<Key> = []
    for change in new.changes(from: old) {
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
