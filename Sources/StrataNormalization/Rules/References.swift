import StrataBase

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
/// The index finds the entities that refer to a removed one, at O(log n) for each removed entity
/// and each that refers to it: a ``GroupIndex``, or a ``UniqueIndex`` where at most one may refer to each.
/// The type of the entities that refer must list it. Rules are applied at the end of a commit to everything the commit
/// removed, in whatever way. `restrict` looks at the database as the commit's own edit left it: an entity that another rule
/// would take along holds the removed one as any other does. Then removals cascade and nullify.
///
/// At the end of a commit each reference that it introduced must lead to an entity, at O(log n) for each
/// changed entity: entities that refer to each other can be inserted in one commit, in any order. A
/// reference that led to nothing before refuses no commit; opening a file reports it. With
/// `existence: .unchecked` references may be written before their entities.
public struct References<Database: DatabaseType, Source: EntityType, Target: EntityType>:
  SchemaRule
{
  let from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable
  let index: ReferenceIndex<Source, Target>
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
    self.init(from, ReferenceIndex(index), to, rule, existence)
  }

  /// The same where at most one entity of `from` may refer to each entity of `to`: one to one.
  public init(
    from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable,
    _ index: UniqueIndex<Source, EntityID<Target>>,
    to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable,
    onRemoval rule: RemovalRule<Source, EntityID<Target>>,
    existence: ReferenceExistence = .checked
  ) {
    self.init(from, ReferenceIndex(index), to, rule, existence)
  }

  private init(
    _ from: any WritableKeyPath<Database, EntityTable<Source>> & Sendable,
    _ index: ReferenceIndex<Source, Target>,
    _ to: any WritableKeyPath<Database, EntityTable<Target>> & Sendable,
    _ rule: RemovalRule<Source, EntityID<Target>>,
    _ existence: ReferenceExistence
  ) {
    self.from = from
    self.index = index
    self.to = to
    self.rule = rule
    self.existence = existence
  }

  var paths: [AnyKeyPath] { [from, to] }

  var target: AnyKeyPath? { to }

  func checkIndex() { index.check("The schema of \(Database.self), in References,") }

  func apply(
    after removed: RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> RemovedEntities? {
    guard let ids = removed.ids(of: Target.self, at: to) else { return nil }
    var next: [EntityID<Source>] = []
    switch rule.effect {
    case .restrict: break
    case .cascade:
      next = index.sources(database[keyPath: from], ids)
      if !next.isEmpty {
        isChanged = true
        database[keyPath: from].remove(in: next)
      }
    case .change(let change):
      let sources = index.sources(database[keyPath: from], ids)
      if sources.isEmpty { break }
      isChanged = true
      let keys = Set(ids)
      for source in sources {
        guard var entity = database[keyPath: from][source] else { continue }
        change(&entity, keys)
        database[keyPath: from].insert(entity)
      }
    }
    return next.isEmpty ? nil : RemovedEntities(from, next)
  }

  func check(_ removed: RemovedEntities, in database: Database) throws(RuleViolation) {
    guard case .restrict = rule.effect, let ids = removed.ids(of: Target.self, at: to) else {
      return
    }
    let table = database[keyPath: from]
    if index.sources(table, ids).isEmpty { return }
    let referred = ids.filter { !index.sources(table, [$0]).isEmpty }.map { ("\($0)", $0) }
    // The first by its text, so that the same commit gives the same error.
    guard let (text, id) = referred.min(by: { $0.0 < $1.0 }) else { return }
    let schema = Database.schema
    throw .stillReferenced(
      table: schema.name(of: to) ?? Target.tableName,
      id: text,
      by: schema.name(of: from) ?? Source.tableName,
      ids: index.sources(table, [id]).map { "\($0)" }.inOrder()
    )
  }
}

extension References {
  func check(
    after changes: ChangeSet,
    of table: TableName,
    from old: Database,
    in new: Database
  ) throws(RuleViolation) {
    guard existence == .checked else { return }
    let targets = new[keyPath: to]
    var missing: [(key: String, source: String)] = []
    for case .put(let entity) in changes.changes(of: Source.self, in: table) {
      let absent = index.keys(entity).filter { !targets.contains($0) }
      if absent.isEmpty { continue }
      let before = old[keyPath: from][entity.id].map(index.keys) ?? []
      for key in absent where !before.contains(key) { missing.append(("\(key)", "\(entity.id)")) }
    }
    // The first by its text, so that the same commit gives the same error.
    guard let first = missing.map(\.key).min() else { return }
    throw .danglingReference(
      table: table,
      ids: missing.filter { $0.key == first }.map(\.source).inOrder(),
      to: Database.schema.name(of: to) ?? Target.tableName,
      id: first
    )
  }

  func danglingReferences(in database: Database) -> DanglingReferences? {
    guard existence == .checked else { return nil }
    let targets = database[keyPath: to]
    let absent = index.targets(database[keyPath: from]).filter { !targets.contains($0) }
    if absent.isEmpty { return nil }
    let schema = Database.schema
    return DanglingReferences(
      table: schema.name(of: from) ?? Source.tableName,
      target: schema.name(of: to) ?? Target.tableName,
      count: absent.count,
      ids: Array(absent.map { "\($0)" }.inOrder().prefix(5))
    )
  }
}

/// How a rule finds who refers to an entity, whatever the kind of the index.
struct ReferenceIndex<Source: EntityType, Target: EntityType>: Sendable {
  /// The entities of a table that refer to one of these, each once.
  let sources: @Sendable (EntityTable<Source>, [EntityID<Target>]) -> [EntityID<Source>]
  /// What an entity refers to.
  let keys: @Sendable (Source) -> Set<EntityID<Target>>
  /// What the entities of a table refer to.
  let targets: @Sendable (EntityTable<Source>) -> [EntityID<Target>]
  /// Traps if the entity type does not list the index.
  let check: @Sendable (_ use: String) -> Void

  init(_ index: GroupIndex<Source, EntityID<Target>>) {
    sources = { table, ids in
      let groups = table[index]
      return Self.distinct(ids) { groups[$0].ids.all }
    }
    keys = { index.keys(of: $0) }
    targets = { $0[index].keys }
    check = { Source.indexes.require(index, for: $0) }
  }

  init(_ index: UniqueIndex<Source, EntityID<Target>>) {
    sources = { table, ids in
      let contents = table[index].contents
      return Self.distinct(ids) { contents.ids(of: $0) }
    }
    keys = { index.keyOf($0).map { [$0] } ?? [] }
    targets = { $0[index].keys }
    check = { Source.indexes.require(index, for: $0) }
  }

  private static func distinct(
    _ targets: [EntityID<Target>],
    _ sources: (EntityID<Target>) -> [EntityID<Source>]
  ) -> [EntityID<Source>] {
    var found: Set<EntityID<Source>> = []
    var ids: [EntityID<Source>] = []
    for target in targets {
      // One that refers to many of them is mostly the last that was found.
      for id in sources(target) where id != ids.last && found.insert(id).inserted { ids.append(id) }
    }
    return ids
  }
}

/// What happens to the entities that refer to one that a commit removes.
public struct RemovalRule<Entity: EntityType, Key: Hashable & Sendable>: Sendable {
  enum Effect: Sendable {
    case restrict
    case cascade
    /// Takes references to the removed entities out of one that has some.
    case change(@Sendable (inout Entity, Set<Key>) -> Void)
  }

  let effect: Effect

  /// The commit is refused with ``RuleViolation/stillReferenced(table:id:by:ids:)``, unless the commit itself removes
  /// the entities that refer to the removed one, or makes them refer to another.
  ///
  /// Entities that refer to it hold it also where another rule would remove them.
  public static var restrict: RemovalRule { RemovalRule(effect: .restrict) }

  /// The entities that refer to it are removed too, and so on.
  public static var cascade: RemovalRule { RemovalRule(effect: .cascade) }

  /// The field that refers to it is set to nil.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Key?> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, _ in entity[keyPath: field] = nil })
  }

  /// Its ID is removed from the list of IDs that refers to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, [Key]> & Sendable
  ) -> RemovalRule {
    RemovalRule(
      effect: .change { entity, keys in entity[keyPath: field].removeAll(where: keys.contains) }
    )
  }

  /// Its ID is removed from the set of IDs that refers to it.
  public static func nullify(
    _ field: any WritableKeyPath<Entity, Set<Key>> & Sendable
  ) -> RemovalRule {
    RemovalRule(effect: .change { entity, keys in entity[keyPath: field].subtract(keys) })
  }
}

/// Whether a reference must lead to an entity when a commit introduces it.
public enum ReferenceExistence: Sendable {
  /// A commit that introduces a reference to an absent entity is refused with
  /// ``RuleViolation/danglingReference(table:ids:to:id:)``: a new entity that refers to it, or one
  /// whose reference the commit changed.
  ///
  /// A reference that led to nothing before the commit refuses no commit.
  case checked
  /// References may be written before their entity, for data that arrives in any order.
  case unchecked
}

extension DatabaseSchemaBuilder {
  /// Adds one rule.
  public static func buildExpression<Source, Target>(
    _ rule: References<Database, Source, Target>
  ) -> DatabaseSchemaPart<Database> {
    DatabaseSchemaPart(rule: rule)
  }
}
