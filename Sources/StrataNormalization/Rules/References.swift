/// A rule of a schema for entities that refer to others by their ID: a reference leads to an entity,
/// and the removal of that entity concerns those that refer to it.
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
///
/// At the end of a commit each reference that it introduced must lead to an entity, at O(log n) for each
/// changed entity: entities that refer to each other can be inserted in one commit, in any order. A
/// reference that led to nothing before refuses no commit; opening a file reports it. With
/// `existence: .unchecked` references may be written before their entities.
public struct References<Database: DatabaseType, Source: EntityType, Target: EntityType>:
  SchemaRule
{
  let from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable
  let index: GroupIndex<Source, EntityID<Target>>
  let to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable
  let rule: RemovalRule<Source, EntityID<Target>>
  let existence: ReferenceExistence

  /// Declares that entities of `from` refer to those of `to` by the key of `index`, what the removal
  /// of an entity of `to` does to them, and whether a new reference must lead to an entity.
  public init(
    from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable,
    _ index: GroupIndex<Source, EntityID<Target>>,
    to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable,
    onRemoval rule: RemovalRule<Source, EntityID<Target>>,
    existence: ReferenceExistence = .checked
  ) {
    self.from = from
    self.index = index
    self.to = to
    self.rule = rule
    self.existence = existence
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

extension References {
  func checkExistence(
    after changes: ChangeSet,
    of table: TableName,
    from old: Database,
    in new: Database
  ) throws(RuleViolation) {
    guard existence == .checked, changes.concerns(table) else { return }
    let targets = new[keyPath: to]
    var missing: [(key: String, source: String)] = []
    for case .put(let entity) in changes.changes(of: Source.self, in: table) {
      for key in index.keys(of: entity) where !targets.contains(key) {
        let before = old[keyPath: from][entity.id].map(index.keys(of:)) ?? []
        if !before.contains(key) { missing.append(("\(key)", "\(entity.id)")) }
      }
    }
    // The first by its text, so that the same commit gives the same error.
    guard let first = missing.map(\.key).min() else { return }
    throw .danglingReference(
      table: table,
      ids: missing.filter { $0.key == first }.map(\.source).sorted(),
      to: Database.schema.name(of: to) ?? Target.tableName,
      id: first
    )
  }

  func danglingReferences(in database: Database) -> DanglingReferences? {
    guard existence == .checked else { return nil }
    let targets = database[keyPath: to]
    let absent = database[keyPath: from][index].keys.filter { !targets.contains($0) }
    if absent.isEmpty { return nil }
    let schema = Database.schema
    return DanglingReferences(
      table: schema.name(of: from) ?? Source.tableName,
      target: schema.name(of: to) ?? Target.tableName,
      count: absent.count,
      ids: Array(absent.map { "\($0)" }.sorted().prefix(5))
    )
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

  /// Throws if changes of its table, which has this name, introduced a reference to an absent entity.
  func checkExistence(
    after changes: ChangeSet,
    of table: TableName,
    from old: Database,
    in new: Database
  ) throws(RuleViolation)

  /// The references that lead to no entity; nil if there are none, or if they are not checked.
  func danglingReferences(in database: Database) -> DanglingReferences?

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
