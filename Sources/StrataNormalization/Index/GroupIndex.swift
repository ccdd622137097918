/// Finds the entities with a common key: a field of any type, or the ID of another entity.
///
/// ```swift
/// static let byAuthor = GroupIndex(\Post.author)
/// static let byEditor = GroupIndex(\Post.editor)        // optional: nil is in no group
/// static let byTag = GroupIndex(each: \Post.tags)       // several keys: in each one's group
/// static let timeline = GroupIndex(\Post.author, sortedBy: \.date)
/// ```
///
/// A write costs O(log n) for each group the entity enters or leaves, independent of the number and size
/// of the groups. Members of a group are in the order of `sortedBy`, then of their IDs. A group without
/// members does not exist. A key that is not equal to itself (NaN) is as nil: the entity is in no group by it.
public final class GroupIndex<Entity: EntityType, Key: Hashable & Sendable>: EntityIndex {
  /// The name in errors: the one it was given, or the field.
  public let name: String
  /// How a table maintains it.
  public let maintenance: IndexMaintenance<Entity>
  @usableFromInline let members: @Sendable (IndexBox, Key) -> (any EntityIDSource<Entity>)?
  @usableFromInline let keys: @Sendable (IndexBox) -> [Key]
  @usableFromInline let groupCount: @Sendable (IndexBox) -> Int
  /// The keys of the groups of an entity.
  @usableFromInline let keysOf: @Sendable (Entity) -> Set<Key>

  @inlinable
  init<Rank>(
    _ name: String?,
    _: GroupContents<Entity, Key, Rank>.Type,
    keysOf: @escaping @Sendable (Entity) -> Set<Key>,
    build: @escaping @Sendable (HashTrie<Entity>) -> GroupContents<Entity, Key, Rank>,
    change: @escaping @Sendable (inout IndexBox, Entity?, Entity?) -> Void
  ) {
    typealias Contents = GroupContents<Entity, Key, Rank>
    self.name = name ?? Self.nameless(Key.self)
    self.keysOf = keysOf
    maintenance = IndexMaintenance(
      make: { TypedIndexBox(Contents()) },
      build: { TypedIndexBox(build($0)) },
      change: change
    )
    members = { TypedIndexBox<Contents>.value(in: $0).groups[$1]?.members }
    keys = { Array(HashTrieIDs(TypedIndexBox<Contents>.value(in: $0).groups)) }
    groupCount = { TypedIndexBox<Contents>.value(in: $0).groups.count }
  }

  /// The keys of the groups of an entity.
  package func keys(of entity: Entity) -> Set<Key> { keysOf(entity) }
}

extension GroupIndex {
  /// Groups by a field.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Key> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, optional: { field.read($0) }, rank: { _ in NoRank() })
  }

  /// Groups by a field; an entity where it is nil is in no group.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Key?> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, optional: field.read, rank: { _ in NoRank() })
  }

  /// Groups by a field, the members of each group sorted by another.
  @inlinable
  public convenience init<Rank: Comparable & Sendable>(
    _ field: any KeyPath<Entity, Key> & Sendable,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, optional: { field.read($0) }, rank: rank)
  }

  /// Groups by a field, the members of each group sorted by another; an entity where it is nil is in
  /// no group.
  @inlinable
  public convenience init<Rank: Comparable & Sendable>(
    _ field: any KeyPath<Entity, Key?> & Sendable,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, optional: field.read, rank: rank)
  }

  /// Groups by a field of several keys; the entity is in the group of each.
  @inlinable
  public convenience init<Keys: Sequence<Key> & SendableMetatype>(
    each field: any KeyPath<Entity, Keys> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, each: field.read, rank: { _ in NoRank() })
  }

  /// Groups by a field of several keys, the members of each group sorted by another field.
  @inlinable
  public convenience init<Keys: Sequence<Key> & SendableMetatype, Rank: Comparable & Sendable>(
    each field: any KeyPath<Entity, Keys> & Sendable,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(name ?? field.name, each: field.read, rank: rank)
  }
}

/// The same by what a closure gives.
extension GroupIndex {
  /// Groups by what a closure gives.
  @inlinable
  public convenience init(
    _ key: @escaping @Sendable (Entity) -> Key,
    named name: String? = nil
  ) {
    self.init(name, optional: { key($0) }, rank: { _ in NoRank() })
  }

  /// Groups by what a closure gives; an entity where it is nil is in no group.
  @inlinable
  public convenience init(
    _ key: @escaping @Sendable (Entity) -> Key?,
    named name: String? = nil
  ) {
    self.init(name, optional: key, rank: { _ in NoRank() })
  }

  /// Groups by what a closure gives, the members of each group sorted by another one.
  @inlinable
  public convenience init<Rank: Comparable & Sendable>(
    _ key: @escaping @Sendable (Entity) -> Key,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    self.init(name, optional: { key($0) }, rank: rank)
  }

  /// Groups by what a closure gives, the members of each group sorted by another one; an entity where it
  /// is nil is in no group.
  @inlinable
  public convenience init<Rank: Comparable & Sendable>(
    _ key: @escaping @Sendable (Entity) -> Key?,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    self.init(name, optional: key, rank: rank)
  }

  /// Groups by the keys that a closure gives; the entity is in the group of each.
  @inlinable
  public convenience init<Keys: Sequence<Key> & SendableMetatype>(
    each keys: @escaping @Sendable (Entity) -> Keys,
    named name: String? = nil
  ) {
    self.init(name, each: keys, rank: { _ in NoRank() })
  }

  /// Groups by the keys that a closure gives, the members of each group sorted by another closure.
  @inlinable
  public convenience init<Keys: Sequence<Key> & SendableMetatype, Rank: Comparable & Sendable>(
    each keys: @escaping @Sendable (Entity) -> Keys,
    sortedBy rank: @escaping @Sendable (Entity) -> Rank,
    named name: String? = nil
  ) {
    self.init(name, each: keys, rank: rank)
  }

  @inlinable
  convenience init<Rank: Comparable & Sendable>(
    _ name: String?,
    optional key: @escaping @Sendable (Entity) -> Key?,
    rank: @escaping @Sendable (Entity) -> Rank
  ) {
    typealias Contents = GroupContents<Entity, Key, Rank>
    let key = Self.equalToItself(key)
    self.init(
      name,
      Contents.self,
      keysOf: { key($0).map { [$0] } ?? [] },
      build: { storage in
        Contents(storage, rank) { entity, add in if let key = key(entity) { add(key) } }
      }
    ) { box, old, new in
      let (oldKey, newKey) = (old.flatMap(key), new.flatMap(key))
      let (oldMember, newMember) = (Contents.member(old, rank), Contents.member(new, rank))
      if oldKey == newKey, Contents.isSame(oldMember, newMember) || oldKey == nil { return }
      TypedIndexBox<Contents>.change(&box) { contents in
        if let oldKey, let oldMember { contents.remove(oldMember, from: oldKey) }
        if let newKey, let newMember { contents.insert(newMember, into: newKey) }
      }
    }
  }

  @inlinable
  convenience init<Keys: Sequence<Key> & SendableMetatype, Rank: Comparable & Sendable>(
    _ name: String?,
    each keys: @escaping @Sendable (Entity) -> Keys,
    rank: @escaping @Sendable (Entity) -> Rank
  ) {
    typealias Contents = GroupContents<Entity, Key, Rank>
    // A key that is not equal to itself (NaN) could not be found again.
    let keysOf = { @Sendable (entity: Entity) in Set(keys(entity).lazy.filter { $0 == $0 }) }
    self.init(
      name,
      Contents.self,
      keysOf: keysOf,
      build: { storage in
        Contents(storage, rank) { entity, add in for key in keysOf(entity) { add(key) } }
      }
    ) { box, old, new in
      let oldKeys = old.map(keysOf) ?? []
      let newKeys = new.map(keysOf) ?? []
      let (oldMember, newMember) = (Contents.member(old, rank), Contents.member(new, rank))
      let isSame = Contents.isSame(oldMember, newMember)
      let left = isSame ? oldKeys.subtracting(newKeys) : oldKeys
      let entered = isSame ? newKeys.subtracting(oldKeys) : newKeys
      if left.isEmpty, entered.isEmpty { return }
      TypedIndexBox<Contents>.change(&box) { contents in
        if let oldMember { for key in left { contents.remove(oldMember, from: key) } }
        if let newMember { for key in entered { contents.insert(newMember, into: key) } }
      }
    }
  }
}

/// The members that have one key.
@usableFromInline
struct IndexGroup<Entity: EntityType, Key: Hashable & Sendable, Rank: Comparable & Sendable>:
  Identifiable, Sendable
{
  @usableFromInline let id: Key
  @usableFromInline var members = OrderedList<RankedMember<Rank, Entity>>()

  @inlinable
  init(_ id: Key) { self.id = id }
}

/// The contents of a ``GroupIndex`` in a table.
@usableFromInline
struct GroupContents<Entity: EntityType, Key: Hashable & Sendable, Rank: Comparable & Sendable>:
  Sendable
{
  @usableFromInline typealias Member = RankedMember<Rank, Entity>

  @usableFromInline var groups = HashTrie<IndexGroup<Entity, Key, Rank>>()

  @inlinable
  init() {}

  /// The groups of all entities of a table.
  ///
  /// - Parameter forEachKey: calls its argument with each key of an entity, each once.
  @inlinable
  init(
    _ storage: HashTrie<Entity>,
    _ rank: @escaping (Entity) -> Rank,
    _ forEachKey: (Entity, _ add: (Key) -> Void) -> Void
  ) {
    var numbers: [Key: Int] = [:]
    var keys: [Key] = []
    var members: [[Member]] = []
    var entities = HashTrieIterator(storage)
    while let entity = entities.nextEntity() {
      forEachKey(entity) { key in
        let member = Member(rank(entity), entity.id)
        if let number = numbers[key] {
          members[number].append(member)
        } else {
          numbers[key] = keys.count
          keys.append(key)
          members.append([member])
        }
      }
    }
    var groups: [IndexGroup<Entity, Key, Rank>] = []
    groups.reserveCapacity(keys.count)
    for number in keys.indices {
      members[number].sort { Member.isOrdered($0, before: $1) }
      var group = IndexGroup<Entity, Key, Rank>(keys[number])
      group.members = OrderedList(members[number])
      members[number] = []
      groups.append(group)
    }
    self.groups = groups.withUnsafeBufferPointer { HashTrie($0) }
  }

  @inlinable
  static func member(_ entity: Entity?, _ rank: (Entity) -> Rank) -> Member? {
    entity.map { Member(rank($0), $0.id) }
  }

  /// Whether two members of one entity have the same place, or both are absent.
  @inlinable
  static func isSame(_ a: Member?, _ b: Member?) -> Bool {
    guard let a, let b else { return a == nil && b == nil }
    return Member.isSame(a.rank, b.rank)
  }

  @inlinable
  mutating func insert(_ member: Member, into key: Key) {
    if groups.modify(key, { $0.members.insert(member) }) == nil {
      var group = IndexGroup<Entity, Key, Rank>(key)
      group.members.insert(member)
      groups.insert(group)
    }
  }

  @inlinable
  mutating func remove(_ member: Member, from key: Key) {
    let isEmpty = groups.modify(key) { group in
      group.members.remove(member)
      return group.members.count == 0
    }
    if isEmpty == true { _ = groups.remove(key) }
  }
}
