extension EntityTable {
  /// The groups of an index that the entity type lists.
  ///
  /// O(1).
  public subscript<Key>(index: GroupIndex<Entity, Key>) -> EntityGroups<Entity, Key> {
    EntityGroups(index: index, box: indexes.box(of: index), storage: storage)
  }

  /// The keys of an index that the entity type lists.
  ///
  /// O(1).
  public subscript<Key>(index: UniqueIndex<Entity, Key>) -> UniqueEntities<Entity, Key> {
    let box = indexes.box(of: index)
    return UniqueEntities(contents: TypedIndexBox.value(in: box), storage: storage)
  }

  /// The entities in the order of an index that the entity type lists.
  ///
  /// O(1).
  public subscript<Rank>(index: OrderedIndex<Entity, Rank>) -> SortedEntities<Entity, Rank> {
    let box = indexes.box(of: index)
    return SortedEntities(members: TypedIndexBox.value(in: box), storage: storage)
  }
}

/// The groups of a ``GroupIndex`` in a table.
public struct EntityGroups<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  let index: GroupIndex<Entity, Key>
  let box: IndexBox
  let storage: HashTrie<Entity>

  /// The entities that have this key; none when there is no such group.
  ///
  /// O(log n).
  public subscript(key: Key) -> IndexedEntities<Entity> {
    IndexedEntities(IndexedIDs(index.members(box, key)), storage)
  }

  /// How many groups there are.
  ///
  /// O(1).
  public var count: Int { index.groupCount(box) }

  /// The keys that some entity has, in unspecified order.
  ///
  /// O(groups).
  public var keys: [Key] { index.keys(box) }
}

/// The keys of a ``UniqueIndex`` in a table.
public struct UniqueEntities<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  let contents: UniqueContents<Entity, Key>
  let storage: HashTrie<Entity>

  /// The entity that has this key, or nil; within a commit, one of those that have it.
  ///
  /// O(log n).
  public subscript(key: Key) -> Entity? { id(of: key).flatMap { storage[$0] } }

  /// The ID of the entity that has this key, or nil.
  ///
  /// O(log n).
  public func id(of key: Key) -> EntityID<Entity>? { contents.owners[key]?.first }

  /// How many keys there are.
  ///
  /// O(1).
  public var count: Int { contents.owners.count }

  /// The keys that some entity has, in unspecified order.
  ///
  /// O(keys).
  public var keys: [Key] { Array(HashTrieIDs(contents.owners)) }
}

/// The entities of a table in the order of an ``OrderedIndex``: a collection with random access.
///
/// Each access costs O(log n).
public struct SortedEntities<Entity: EntityType, Rank: Comparable & Sendable>:
  RandomAccessCollection, Sendable
{
  let members: OrderedList<RankedMember<Rank, Entity>>
  let storage: HashTrie<Entity>

  /// 0.
  public var startIndex: Int { 0 }
  /// How many entities have a rank.
  public var endIndex: Int { members.count }

  /// The entity at a position.
  public subscript(position: Int) -> Entity { all[position] }

  /// Some of the entities, at the same positions.
  public subscript(bounds: Range<Int>) -> IndexedEntities<Entity> { all[bounds] }

  /// Their IDs, in the same order.
  public var ids: IndexedIDs<Entity> { IndexedIDs(members) }

  /// The entities whose rank is at least `lower` and below `upper`; without a bound, from the first
  /// or to the last.
  ///
  /// O(log n).
  public func range(from lower: Rank? = nil, to upper: Rank? = nil) -> IndexedEntities<Entity> {
    let start = lower.map { position(of: $0) } ?? 0
    let end = upper.map { position(of: $0) } ?? members.count
    return all[start..<Swift.max(start, end)]
  }

  /// The entities whose rank is at least `lower` and at most `upper`.
  ///
  /// O(log n).
  public func range(from lower: Rank? = nil, through upper: Rank) -> IndexedEntities<Entity> {
    let start = lower.map { position(of: $0) } ?? 0
    let end = members.partition { Member.isOrdered(upper, before: $0.rank) }
    return all[start..<Swift.max(start, end)]
  }

  /// The first position whose rank is not below this one.
  ///
  /// O(log n).
  public func position(of rank: Rank) -> Int {
    members.partition { !Member.isOrdered($0.rank, before: rank) }
  }

  private typealias Member = RankedMember<Rank, Entity>

  private var all: IndexedEntities<Entity> { IndexedEntities(ids, storage) }
}
