/// A table of a schema, with the type of its entities: the one place where types of entities are
/// erased.
///
/// ``Entities`` is the only conformer. Other parts of the library add what they need of every table
/// (comparing, applying, coding) as extensions of this protocol.
public protocol SchemaTable<Database>: Sendable {
  /// The database the table is in.
  associatedtype Database: DatabaseType
  /// What the table holds.
  associatedtype Entity: EntityType

  /// The name on disk.
  var name: TableName { get }
  /// The path from the database to the table.
  var path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable { get }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  func makeTable(_ entities: [Entity]) -> EntityTable<Entity>

  /// The changes from the table of `old` to that of `new`; nil if the two hold the same entities.
  func changes(from old: Database, to new: Database) -> TableChanges<Entity>?
}

extension SchemaTable {
  /// The path to the table, with its type erased.
  var place: AnyKeyPath { path }

  /// Creates a table by moving the entities of all buffers; of two with the same ID, the later one is
  /// kept.
  ///
  /// O(n).
  package func makeTable(moving buffers: [EntityBuffer<Entity>]) -> EntityTable<Entity> {
    guard let entities = self as? Entities<Database, Entity> else {
      preconditionFailure("Entities is the only SchemaTable.")
    }
    return entities.moving(buffers)
  }
}

/// Lists an entity table in a schema.
public struct Entities<Database: DatabaseType, Entity: EntityType>: SchemaTable {
  /// The name on disk.
  public let name: TableName
  /// The path from the database to the table.
  public let path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable

  // Created where the type of the entities is known, so that the compiler specializes them for it:
  // several times as fast.
  @usableFromInline let making: @Sendable ([Entity]) -> EntityTable<Entity>
  @usableFromInline let moving: @Sendable ([EntityBuffer<Entity>]) -> EntityTable<Entity>
  @usableFromInline let comparing: @Sendable (Database, Database) -> TableChanges<Entity>?

  /// Lists the table at `path`, under the table name of the entity type unless another is given.
  @inlinable
  public init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName? = nil
  ) {
    let name = name ?? Entity.tableName
    self.path = path
    self.name = name
    making = { EntityTable($0) }
    moving = { EntityTable(moving: $0) }
    comparing = { old, new in new[keyPath: path].changes(from: old[keyPath: path], as: name) }
  }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  public func makeTable(_ entities: [Entity]) -> EntityTable<Entity> { making(entities) }

  /// The changes from the table of `old` to that of `new`; nil if the two hold the same entities.
  ///
  /// Costs what ``EntityTable/changes(from:)`` does.
  public func changes(from old: Database, to new: Database) -> TableChanges<Entity>? {
    comparing(old, new)
  }
}
