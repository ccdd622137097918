/// All entities of one type, by ID: a value.
///
/// ```swift
/// var users = EntityTable<User>()
/// users.insert(User(id: "42", name: "Ada"))
/// try users.update("42") { $0.name = "Ada Lovelace" }
/// users["42"]?.name
/// ```
///
/// It is a persistent hash trie: a write costs O(log n) however many older copies are held, and a copy
/// costs O(1). So a store can keep its previous state at no cost. The order of iteration is unspecified;
/// sort what people see, or declare an ``OrderedIndex``.
///
/// The indexes that the entity type declares are part of the table: each write updates them.
public struct EntityTable<Entity: EntityType>: Sendable {
  /// The identity of an entity of this table.
  public typealias ID = EntityID<Entity>

  @usableFromInline var storage: HashTrie<Entity>
  @usableFromInline var indexes: TableIndexes<Entity>
  @usableFromInline let origin: TableOrigin

  /// Creates an empty table.
  @inlinable
  public init() {
    storage = HashTrie()
    indexes = TableIndexes()
    origin = TableOrigin()
  }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  @inlinable
  public init(_ entities: some Sequence<Entity>) {
    self.init()
    insert(contentsOf: entities)
  }

  /// Creates a table by moving the entities of all buffers; of two with the same ID, the later one is
  /// kept.
  @inlinable
  init(moving buffers: [EntityBuffer<Entity>]) {
    self.init()
    storage = HashTrie(moving: buffers)
    indexes.rebuild(from: storage)
  }
}

extension EntityTable: ExpressibleByArrayLiteral {
  /// Creates a table of the listed entities.
  @inlinable
  public init(arrayLiteral elements: Entity...) { self.init(elements) }
}

extension EntityTable: CustomStringConvertible {
  /// The name of the table and the number of its entities.
  public var description: String { "\(Entity.tableName) (\(count))" }
}

/// The common origin of tables: a table that was made by copying and changing another has the same
/// origin, a table that was built separately has its own.
///
/// An object, because its identity is unique in the process as long as any of the tables is held.
@usableFromInline
final class TableOrigin: Sendable {
  @usableFromInline
  init() {}
}

extension EntityTable {
  /// The number of entities.
  ///
  /// O(1).
  @inlinable
  public var count: Int { storage.count }

  /// Whether there are no entities.
  ///
  /// O(1).
  @inlinable
  public var isEmpty: Bool { storage.isEmpty }

  /// The entity with this ID, or nil.
  ///
  /// O(log n), about as fast as a dictionary.
  @inlinable
  public subscript(id: ID) -> Entity? { storage[id] }

  /// The entity with this ID, or nil.
  ///
  /// O(log n).
  @inlinable
  public func find(by id: ID) -> Entity? { storage[id] }

  /// The entities with these IDs, in their order; absent ones are left out.
  ///
  /// O(m log n).
  @inlinable
  public func find(in ids: some Sequence<ID>) -> [Entity] { ids.compactMap { storage[$0] } }

  /// Whether there is an entity with this ID.
  ///
  /// O(log n).
  @inlinable
  public func contains(_ id: ID) -> Bool { storage.contains(id) }

  /// All IDs, in unspecified order.
  @inlinable
  public var ids: some Collection<ID> & Sendable { HashTrieIDs(storage) }
}

extension EntityTable: Sequence {
  /// Iterates over the entities of a table in unspecified order.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var entities: HashTrieIterator<Entity>

    @inlinable
    init(_ entities: HashTrieIterator<Entity>) { self.entities = entities }

    /// The next entity, or nil at the end.
    @inlinable
    public mutating func next() -> Entity? { entities.nextEntity() }
  }

  /// Iterates over the entities in unspecified order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(HashTrieIterator(storage)) }

  /// The exact number of entities.
  @inlinable
  public var underestimatedCount: Int { count }
}

extension EntityTable {
  /// The entities in the order of a field, then of their IDs; those whose field is not equal to itself (NaN) come last.
  ///
  /// O(n log n). An ``OrderedIndex`` keeps them sorted.
  @inlinable
  public func sorted<Field: Comparable>(by field: (Entity) -> Field) -> [Entity] {
    map { (field($0), $0) }
      .sorted { a, b in
        let (isNumber, isOtherNumber) = (a.0 == a.0, b.0 == b.0)
        if isNumber != isOtherNumber { return isNumber }
        if isNumber, a.0 != b.0 { return a.0 < b.0 }
        return Entity.isOrdered(a.1.id, before: b.1.id)
      }
      .map(\.1)
  }
}
