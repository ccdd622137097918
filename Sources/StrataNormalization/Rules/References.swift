/// A rule of a schema about the removal of an entity that others refer to by its ID.
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
/// The group index is how those who refer to an entity are found: at O(log n) for each removed one
/// and each that refers to it. Rules are applied at the end of a commit to what the commit removed,
/// by whatever way of mutating. First everything cascades and is nullified, then `restrict` is
/// judged. An ID to which no entity belongs is otherwise no matter of the schema: without a rule a
/// removal leaves it, and nothing asks for the entity to be there when it is written.
public struct References<Database: DatabaseType, Source: EntityType, Target: EntityType>:
  SchemaRule
{
  let from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable
  let index: GroupIndex<Source, EntityID<Target>>
  let to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable
  let rule: RemovalRule<Source, EntityID<Target>>

  /// States that entities of `from` refer to those of `to` by the key of `index`, and what the
  /// removal of one of these does to them.
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

  func carryOut(
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

  func judge(_ removed: any RemovedEntities, in database: Database) throws(RuleViolation) {
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

/// A rule of a schema, whatever it connects.
protocol SchemaRule<Database>: Sendable {
  associatedtype Database: DatabaseType

  /// The tables it connects.
  var paths: (from: AnyKeyPath, to: AnyKeyPath) { get }

  /// Does what the rule asks for when entities are gone; gives those that go with them, and notes
  /// whether anything changed.
  func carryOut(
    after removed: any RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> (any RemovedEntities)?

  /// Throws when entities must not be gone.
  func judge(_ removed: any RemovedEntities, in database: Database) throws(RuleViolation)
}

/// The IDs of entities that are gone from a table.
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
