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
}

/// Lists an entity table in a schema.
public struct Entities<Database: DatabaseType, Entity: EntityType>: SchemaTable {
  /// The name on disk.
  public let name: TableName
  /// Where the table is in the database.
  public let path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable

  /// Lists the table at `path`, under the entity's own name unless another is given.
  public init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName? = nil
  ) {
    self.path = path
    self.name = name ?? Entity.tableName
  }
}
