import StrataBase

/// Finds the only entity that has a key, and enforces that there is no second one.
///
/// ```swift
/// static let byEmail = UniqueIndex(\User.email)
/// static let byPhone = UniqueIndex(\User.phone)   // optional: any number may have none
///
/// database.users[User.byEmail]["ada@example.org"]
/// ```
///
/// Uniqueness is checked at the end of a commit, so two entities can swap their keys within one. A
/// commit that leaves two entities with one key throws
/// ``RuleViolation/notUnique(table:index:key:ids:)`` and is rolled back, unless several entities had
/// that key before it. A key that is not equal to itself (NaN) is as nil. A write costs O(log n).
public final class UniqueIndex<Entity: EntityType, Key: Hashable & Sendable>: EntityIndex {
  @usableFromInline typealias Box = TypedIndexBox<UniqueContents<Entity, Key>>

  /// The name in errors: the one it was given, or the field.
  public let name: String
  /// How a table maintains it.
  public let maintenance: IndexMaintenance<Entity>
  /// The key of an entity.
  @usableFromInline let keyOf: @Sendable (Entity) -> Key?

  /// Finds by a field; an entity where it is nil is not found, and any number may have none.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Key?> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(field.read, named: name ?? field.name)
  }

  /// Finds by a field.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Key> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init({ Optional(field.read($0)) }, named: name ?? field.name)
  }

  /// Finds by what a closure gives; an entity where it is nil is not found, and any number may have none.
  @inlinable
  public init(_ key: @escaping @Sendable (Entity) -> Key?, named name: String? = nil) {
    let text = name ?? Self.nameless(Key.self)
    self.name = text
    let key = Self.equalToItself(key)
    keyOf = key
    maintenance = IndexMaintenance(
      make: { Box(UniqueContents()) },
      build: { storage in
        typealias Owners = KeyOwners<Entity, Key>
        var owners: [Owners] = []
        owners.reserveCapacity(storage.count)
        var entities = HashTrieIterator(storage)
        while let entity = entities.nextEntity() {
          if let key = key(entity) { owners.append(Owners(key, entity.id)) }
        }
        var contents = UniqueContents<Entity, Key>()
        contents.owners = owners.withUnsafeBufferPointer { HashTrie($0) }
        if contents.owners.count == owners.count { return Box(contents) }
        // Two entities have one key.
        contents = UniqueContents()
        for owner in owners { contents.insert(owner.first, into: owner.id) }
        return Box(contents)
      },
      change: { box, old, new in
        let (oldKey, newKey) = (old.flatMap(key), new.flatMap(key))
        if oldKey == newKey { return }
        Box.change(&box) { contents in
          if let old, let oldKey { contents.remove(old.id, from: oldKey) }
          if let new, let newKey { contents.insert(new.id, into: newKey) }
        }
      },
      uniqueKey: text
    ) { box, old in
      if let old, old === box { return [] }
      return Box.value(in: box).violations(of: text, since: old.map(Box.value(in:)))
    }
  }

  /// Finds by what a closure gives.
  @inlinable
  public convenience init(_ key: @escaping @Sendable (Entity) -> Key, named name: String? = nil) {
    self.init({ Optional(key($0)) }, named: name)
  }
}

extension UniqueContents {
  /// The entities that have a key: one, and within a commit perhaps others.
  func ids(of key: Key) -> [EntityID<Entity>] { owners[key].map { [$0.first] + $0.others } ?? [] }
}

/// The entities that have a key: one, and within a commit perhaps others.
@usableFromInline
struct KeyOwners<Entity: EntityType, Key: Hashable & Sendable>: Identifiable, Sendable {
  @usableFromInline let id: Key
  @usableFromInline var first: EntityID<Entity>
  @usableFromInline var others: [EntityID<Entity>] = []

  @inlinable
  init(_ id: Key, _ first: EntityID<Entity>) {
    self.id = id
    self.first = first
  }
}

/// The contents of a ``UniqueIndex`` in a table.
@usableFromInline
struct UniqueContents<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  @usableFromInline var owners = HashTrie<KeyOwners<Entity, Key>>()
  /// The keys with more than one owner; empty between commits, unless data with clashes was opened.
  @usableFromInline var clashes: Set<Key> = []

  @inlinable
  init() {}

  @inlinable
  mutating func insert(_ id: EntityID<Entity>, into key: Key) {
    if owners.modify(key, { $0.others.append(id) }) == nil {
      owners.insert(KeyOwners(key, id))
    } else {
      clashes.insert(key)
    }
  }

  @inlinable
  mutating func remove(_ id: EntityID<Entity>, from key: Key) {
    let left = owners.modify(key) { owners in
      if owners.first != id {
        owners.others.removeAll { $0 == id }
      } else if owners.others.isEmpty {
        return 0
      } else {
        owners.first = owners.others.removeFirst()
      }
      return 1 + owners.others.count
    }
    if left == 0 { _ = owners.remove(key) }
    if left == 1 { clashes.remove(key) }
  }

  @usableFromInline
  func violations(of index: String, since old: UniqueContents?) -> [IndexViolation] {
    if clashes.isEmpty { return [] }
    // Sorted by text, so that the same data gives the same error.
    return clashes.filter { old?.clashes.contains($0) != true }.map { ("\($0)", $0) }
      .inOrder { $0.0 < $1.0 }
      .compactMap { text, key in
        guard let owners = owners[key] else { return nil }
        let ids = ([owners.first] + owners.others).map { "\($0)" }.inOrder()
        return (index, text, ids)
      }
  }
}
