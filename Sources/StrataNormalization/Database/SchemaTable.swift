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
  /// How the library reads, compares and makes the table.
  var access: TableAccess<Database, Entity> { get }
}

extension SchemaTable {
  /// The path to the table, with its type erased.
  var place: AnyKeyPath { path }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  public func makeTable(_ entities: [Entity]) -> EntityTable<Entity> { access.making(entities) }

  /// Creates a table by moving the entities of all buffers; of two with the same ID, the later one is
  /// kept.
  ///
  /// O(n).
  package func makeTable(moving buffers: [EntityBuffer<Entity>]) -> EntityTable<Entity> {
    access.moving(buffers)
  }

  /// The changes from the table of `old` to that of `new`; nil if the two hold the same entities.
  ///
  /// Costs what ``EntityTable/changes(from:)`` does.
  public func changes(from old: Database, to new: Database) -> TableChanges<Entity>? {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in changes(from: old, to: new) }
    }
  }

  /// The same for two databases in place, which are not copied.
  func changes(
    from old: UnsafePointer<Database>,
    to new: UnsafePointer<Database>
  ) -> TableChanges<Entity>? {
    access.comparing(old, new)
  }

  /// The bytes of the table in the database; nil if the path leads through a computed property.
  var bytes: Range<Int>? {
    access.offset.map { $0..<$0 + MemoryLayout<EntityTable<Entity>>.size }
  }

  /// Whether an index of the table has a rule.
  var hasIndexRules: Bool { Entity.indexes.hasRules }

  /// The names of the unique indexes of the table.
  var uniqueKeys: [String] { Entity.indexes.uniqueKeys }

  /// The indexes of the table; a key path would copy the table.
  func indexes(in database: UnsafePointer<Database>) -> TableIndexes<Entity> {
    guard let offset = access.offset else { return database.pointee[keyPath: path].indexes }
    let table = UnsafeRawPointer(database) + offset
    return table.assumingMemoryBound(to: EntityTable<Entity>.self).pointee.indexes
  }
}

/// Lists an entity table in a schema.
public struct Entities<Database: DatabaseType, Entity: EntityType>: SchemaTable {
  /// The name on disk.
  public let name: TableName
  /// The path from the database to the table.
  public let path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable
  /// How the library reads, compares and makes the table.
  public let access: TableAccess<Database, Entity>

  /// Lists the table at `path`, under the table name of the entity type unless another is given.
  @inlinable
  public init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName? = nil
  ) {
    let name = name ?? Entity.tableName
    self.path = path
    self.name = name
    access = TableAccess(path, named: name)
  }
}

/// How the library reads, compares, reverts and makes a table.
///
/// It is made where the type of the entities is known, so that the compiler specializes it for them:
/// several times as fast. A class, because a commit asks each table of the schema.
public final class TableAccess<Database: DatabaseType, Entity: EntityType>: Sendable {
  /// The offset of the table in the database; nil if the path leads through a computed property.
  @usableFromInline let offset: Int?
  @usableFromInline let making: @Sendable ([Entity]) -> EntityTable<Entity>
  @usableFromInline let moving: @Sendable ([EntityBuffer<Entity>]) -> EntityTable<Entity>
  @usableFromInline let comparing:
    @Sendable (_ old: UnsafePointer<Database>, _ new: UnsafePointer<Database>)
      -> TableChanges<Entity>?
  @usableFromInline let inverting:
    @Sendable (_ changes: TableChanges<Entity>, _ old: UnsafePointer<Database>)
      -> TableChanges<Entity>?

  @inlinable
  init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName
  ) {
    let offset = MemoryLayout<Database>.offset(of: path)
    self.offset = offset
    making = { EntityTable($0) }
    moving = { EntityTable(moving: $0) }
    comparing = { old, new in
      // A key path would copy both tables.
      guard let offset else {
        return new.pointee[keyPath: path].changes(from: old.pointee[keyPath: path], as: name)
      }
      let (old, new) = (UnsafeRawPointer(old) + offset, UnsafeRawPointer(new) + offset)
      return new.assumingMemoryBound(to: EntityTable<Entity>.self).pointee.changes(
        from: old.assumingMemoryBound(to: EntityTable<Entity>.self).pointee,
        as: name
      )
    }
    inverting = { changes, old in
      guard let offset else { return old.pointee[keyPath: path].inverted(changes) }
      let table = UnsafeRawPointer(old) + offset
      return table.assumingMemoryBound(to: EntityTable<Entity>.self).pointee.inverted(changes)
    }
  }
}
