/// A rule of a schema for the removal of an entity that others refer to by its ID.
///
/// ```swift
/// static let schema = DatabaseSchema<Database> {
///   Entities(\.users)
///   Entities(\.posts)
///   Entities(\.comments)
///   References(from: \.posts, Post.byAuthor, to: \.users, onRemoval: .restrict)
///   References(from: \.comments, Comment.byPost, to: \.posts, onRemoval: .cascade)
///   References(from: \.comments, Comment.byAuthor, to: \.users, onRemoval: .nullify(\.author))
/// }
/// ```
///
/// The group index finds the entities that refer to a removed one, at O(log n) for each removed entity
/// and each that refers to it. Rules are applied at the end of a commit to everything the commit
/// removed, in whatever way. First all removals cascade and nullify, then `restrict` is checked.
/// Otherwise the schema allows an ID without an entity: without a rule a removal leaves references
/// unchanged, and a reference may be written before its entity exists.
public struct References<Database: DatabaseType, Source: EntityType, Target: EntityType>:
  SchemaRule
{
  let from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable
  let index: GroupIndex<Source, EntityID<Target>>
  let to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable
  let rule: RemovalRule<Source, EntityID<Target>>

  /// Declares that entities of `from` refer to those of `to` by the key of `index`, and what the removal
  /// of an entity of `to` does to them.
  public init(
    from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable,
    _ index: GroupIndex<Source, EntityID<Target>>,
    to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable,
    onRemoval rule: RemovalRule<Source, EntityID<Target>>
  ) {
    self.from = from
    self.index = index
    self.to = to
    self.rule = rule
  }

  var paths: (from: AnyKeyPath, to: AnyKeyPath) { (from, to) }

  func apply(
    after removed: any RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> (any RemovedEntities)? {
    guard let ids = removed.ids(of: Target.self, at: to) else { return nil }
    var next: [EntityID<Source>] = []
    for id in ids {
      let sources = Array(database[keyPath: from][index][id].ids)
      switch rule.effect {
      case .restrict: continue
      case .cascade:
        database[keyPath: from].remove(in: sources)
        next += sources
      case .change(let change):
        for source in sources {
          guard var entity = database[keyPath: from][source] else { continue }
          change(&entity, id)
          database[keyPath: from].insert(entity)
        }
      }
      if !sources.isEmpty { isChanged = true }
    }
    return next.isEmpty ? nil : RemovedIDs(table: from, ids: next)
  }

  func check(_ removed: any RemovedEntities, in database: Database) throws(RuleViolation) {
    guard case .restrict = rule.effect, let ids = removed.ids(of: Target.self, at: to) else {
      return
    }
    for id in ids {
      let sources = database[keyPath: from][index][id].ids
      guard let first = sources.first else { continue }
      let schema = Database.schema
      throw .stillReferenced(
        table: schema.name(of: to) ?? Target.tableName,
        id: "\(id)",
        by: schema.name(of: from) ?? Source.tableName,
        ids: sources.count == 1 ? ["\(first)"] : sources.map { "\($0)" }.sorted()
      )
    }
  }
}

/// A rule of a schema, with the types of its entities erased.
protocol SchemaRule<Database>: Sendable {
  associatedtype Database: DatabaseType

  /// The tables it connects.
  var paths: (from: AnyKeyPath, to: AnyKeyPath) { get }

  /// Applies the rule to removed entities; returns those that are removed with them, and reports
  /// whether anything changed.
  func apply(
    after removed: any RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> (any RemovedEntities)?

  /// Throws if the entities must not be removed.
  func check(_ removed: any RemovedEntities, in database: Database) throws(RuleViolation)
}

/// The IDs of entities that were removed from a table.
protocol RemovedEntities {
  func ids<Entity: EntityType>(of type: Entity.Type, at table: AnyKeyPath) -> [EntityID<Entity>]?
}

struct RemovedIDs<Removed: EntityType>: RemovedEntities {
  let table: AnyKeyPath
  let ids: [EntityID<Removed>]

  func ids<Entity: EntityType>(of type: Entity.Type, at table: AnyKeyPath) -> [EntityID<Entity>]? {
    self.table == table ? ids as? [EntityID<Entity>] : nil
  }
}
