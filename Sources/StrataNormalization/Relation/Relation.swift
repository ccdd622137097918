/// A way to read what an entity refers to by ID together with the entity.
///
/// ```swift
/// extension Post {
///   static let itsAuthor = Relation(\Post.author, in: \AppDatabase.users)
///   static let itsComments = Relation(Comment.byPost, in: \AppDatabase.comments)
/// }
///
/// if let (post, author, comments) =
///   database.find("p1", in: \.posts, with: Post.itsAuthor, Post.itsComments) { … }
/// ```
///
/// It only reads. What a removal does to references is declared in the schema, by ``References``.
public struct Relation<Database: DatabaseType, Source: EntityType, Related: Sendable>: Sendable {
  private let reading: @Sendable (Source, Database) -> Related

  init(reading: @escaping @Sendable (Source, Database) -> Related) { self.reading = reading }

  /// What is related to an entity in a database.
  ///
  /// O(log n) for each related entity.
  public func related(to entity: Source, in database: Database) -> Related {
    reading(entity, database)
  }
}

extension Relation {
  /// To the one entity whose ID is in a field, or nil when it is absent.
  public init<Target: EntityType>(
    _ field: @escaping @Sendable (Source) -> EntityID<Target>?,
    in table: any KeyPath<Database, EntityTable<Target>> & Sendable
  ) where Related == Target? {
    self.init { source, database in field(source).flatMap { database[keyPath: table][$0] } }
  }

  /// To the one entity whose ID is in a field, or nil when it is absent.
  public init<Target: EntityType>(
    _ field: @escaping @Sendable (Source) -> EntityID<Target>,
    in table: any KeyPath<Database, EntityTable<Target>> & Sendable
  ) where Related == Target? {
    self.init { source, database in database[keyPath: table][field(source)] }
  }

  /// To the entities whose IDs are in a field, in its order; absent ones are left out.
  public init<Target: EntityType, IDs: Sequence<EntityID<Target>> & SendableMetatype>(
    each field: @escaping @Sendable (Source) -> IDs,
    in table: any KeyPath<Database, EntityTable<Target>> & Sendable
  ) where Related == [Target] {
    self.init { source, database in database[keyPath: table].find(in: field(source)) }
  }

  /// To the entities that refer to this one by the key of a group index, in the order of the index.
  ///
  /// Traps if the entity type does not list the index.
  public init<Target: EntityType>(
    _ index: GroupIndex<Target, EntityID<Source>>,
    in table: any KeyPath<Database, EntityTable<Target>> & Sendable
  ) where Related == IndexedEntities<Target> {
    Target.indexes.require(index, for: "A Relation of \(Source.self)")
    self.init { source, database in database[keyPath: table][index][source.id] }
  }
}

extension DatabaseType {
  /// The entity with this ID and what is related to it, or nil when there is none.
  ///
  /// O(log n) for it and for each related entity.
  public func find<Entity: EntityType, each Related: Sendable>(
    _ id: EntityID<Entity>,
    in table: KeyPath<Self, EntityTable<Entity>>,
    with relation: repeat Relation<Self, Entity, each Related>
  ) -> (Entity, repeat each Related)? {
    guard let entity = self[keyPath: table][id] else { return nil }
    return (entity, repeat (each relation).related(to: entity, in: self))
  }

  /// The entities with these IDs, in their order, each with what is related to it; absent ones are
  /// left out.
  ///
  /// O(log n) for each entity and each related one.
  public func find<Entity: EntityType, each Related: Sendable>(
    in ids: some Sequence<EntityID<Entity>>,
    of table: KeyPath<Self, EntityTable<Entity>>,
    with relation: repeat Relation<Self, Entity, each Related>
  ) -> [(Entity, repeat each Related)] {
    let table = self[keyPath: table]
    return ids.compactMap { id in
      guard let entity = table[id] else { return nil }
      return (entity, repeat (each relation).related(to: entity, in: self))
    }
  }
}
