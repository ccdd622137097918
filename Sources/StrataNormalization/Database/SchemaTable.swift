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
  /// The offset of the table in the database; nil if the path leads through a computed property.
  var offset: Int? { get }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  func makeTable(_ entities: [Entity]) -> EntityTable<Entity>

  /// The changes from the table of `old` to that of `new`; nil if the two hold the same entities.
  func changes(from old: Database, to new: Database) -> TableChanges<Entity>?

  /// The same for two databases in place, which are not copied.
  func changes(
    from old: UnsafePointer<Database>,
    to new: UnsafePointer<Database>
  ) -> TableChanges<Entity>?
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

  /// The bytes of the table in the database; nil if the path leads through a computed property.
  var bytes: Range<Int>? {
    offset.map { $0..<$0 + MemoryLayout<EntityTable<Entity>>.size }
  }

  /// The indexes of the table; a key path would copy the table.
  func indexes(in database: UnsafePointer<Database>) -> TableIndexes<Entity> {
    guard let offset else { return database.pointee[keyPath: path].indexes }
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
  /// The offset of the table in the database; nil if the path leads through a computed property.
  public let offset: Int?

  // Created where the type of the entities is known, so that the compiler specializes them for it:
  // several times as fast.
  @usableFromInline let making: @Sendable ([Entity]) -> EntityTable<Entity>
  @usableFromInline let moving: @Sendable ([EntityBuffer<Entity>]) -> EntityTable<Entity>
  @usableFromInline let comparing:
    @Sendable (_ old: UnsafePointer<Database>, _ new: UnsafePointer<Database>)
      -> TableChanges<Entity>?

  /// Lists the table at `path`, under the table name of the entity type unless another is given.
  @inlinable
  public init(
    _ path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    named name: TableName? = nil
  ) {
    let name = name ?? Entity.tableName
    self.path = path
    self.name = name
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
  }

  /// Creates a table of `entities`; of two with the same ID, the later one is kept.
  ///
  /// O(n).
  public func makeTable(_ entities: [Entity]) -> EntityTable<Entity> { making(entities) }

  /// The changes from the table of `old` to that of `new`; nil if the two hold the same entities.
  ///
  /// Costs what ``EntityTable/changes(from:)`` does.
  public func changes(from old: Database, to new: Database) -> TableChanges<Entity>? {
    withUnsafePointer(to: old) { old in
      withUnsafePointer(to: new) { new in comparing(old, new) }
    }
  }

  /// The same for two databases in place, which are not copied.
  public func changes(
    from old: UnsafePointer<Database>,
    to new: UnsafePointer<Database>
  ) -> TableChanges<Entity>? {
    comparing(old, new)
  }
}
