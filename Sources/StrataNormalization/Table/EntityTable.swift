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
  @usableFromInline let lineage: TableLineage

  /// Creates an empty table.
  @inlinable
  public init() {
    storage = HashTrie()
    indexes = TableIndexes()
    lineage = TableLineage()
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

extension EntityTable: Equatable {
  /// Equal when they hold equal entities.
  ///
  /// O(n), less where the two share structure.
  public static func == (a: EntityTable, b: EntityTable) -> Bool { a.storage == b.storage }
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
