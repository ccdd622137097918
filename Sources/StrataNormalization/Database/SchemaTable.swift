/// A table of a schema whose entity type is known to whoever opens it: the one place where the
/// types of entities are erased.
///
/// ``Entities`` is the only conformer. Other parts of the library add what they need of every
/// table (comparing, applying, coding) as extensions of this protocol.
public protocol SchemaTable<Database>: Sendable {
  /// The database the table is in.
  associatedtype Database: DatabaseType
  /// What the table holds.
  associatedtype Entity: EntityType

  /// The name on disk.
  var name: TableName { get }
  /// Where the table is in the database.
  var path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable { get }

  /// Creates a table of `entities`; of two with the same ID the later one stays.
  ///
  /// O(n).
  func makeTable(_ entities: [Entity]) -> EntityTable<Entity>

  /// What has to be done to the table of `old` to make it equal to that of `new`; nil when the two
  /// are one and the same.
  func difference(from old: Database, to new: Database) -> [EntityChange<Entity>]?
}

extension SchemaTable {
  /// Where the table is, its type erased.
  var place: AnyKeyPath { path }
}

/// Lists an entity table in a schema.
public struct Entities<Database: DatabaseType, Entity: EntityType>: SchemaTable {
  /// The name on disk.
  public let name: TableName
  /// Where the table is in the database.
  public let path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable

  // Made where the type of the entities is known, and so compiled for it: several times as fast.
  @usableFromInline let making: @Sendable ([Entity]) -> EntityTable<Entity>
  @usableFromInline let comparing: @Sendable (Database, Database) -> [EntityChange<Entity>]?

  /// Lists the table at `path`, under the entity's own name unless another is given.
  @inlinable
  public init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName? = nil
  ) {
    self.path = path
    self.name = name ?? Entity.tableName
    making = { EntityTable($0) }
    comparing = { old, new in
      let (old, new) = (old[keyPath: path], new[keyPath: path])
      return new.isIdentical(to: old) ? nil : new.changes(from: old)
    }
  }

  /// Creates a table of `entities`; of two with the same ID the later one stays.
  ///
  /// O(n).
  public func makeTable(_ entities: [Entity]) -> EntityTable<Entity> { making(entities) }

  /// What has to be done to the table of `old` to make it equal to that of `new`; nil when the two
  /// are one and the same.
  ///
  /// Costs what ``EntityTable/changes(from:)`` does.
  public func difference(from old: Database, to new: Database) -> [EntityChange<Entity>]? {
    comparing(old, new)
  }
}
