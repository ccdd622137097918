/// A rule of a schema, with the types of its entities erased.
protocol SchemaRule<Database>: Sendable {
  associatedtype Database: DatabaseType

  /// The tables it concerns; the first is that of the entities it checks.
  var paths: [AnyKeyPath] { get }

  /// The table whose removals it concerns; nil for a rule that removals cannot break.
  var target: AnyKeyPath? { get }

  /// The name of a check; nil for other rules.
  var check: String? { get }

  /// Traps if the rule names an index that its entity type does not list.
  func checkIndex()

  /// Applies the rule to removed entities; returns those that are removed with them, and reports
  /// whether anything changed.
  func apply(
    after removed: RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> RemovedEntities?

  /// Throws if an entity that the changes put into its table, which has this name, breaks the rule.
  func check(
    after changes: ChangeSet,
    of table: TableName,
    from old: Database,
    in new: Database
  ) throws(RuleViolation)

  /// The references that lead to no entity; nil if there are none, or if they are not checked.
  func danglingReferences(in database: Database) -> DanglingReferences?

  /// The entities of its table, which has this name, that break the rule; nil if there are none.
  func violation(in database: Database, of table: TableName) -> RuleViolation?

  /// Throws if entities that are removed must stay; the database is the one before any rule was applied.
  func check(_ removed: RemovedEntities, in database: Database) throws(RuleViolation)
}

/// A rule of which nothing else is said: it concerns neither removals nor single entities.
extension SchemaRule {
  var target: AnyKeyPath? { nil }

  var check: String? { nil }

  func checkIndex() {}

  func apply(
    after removed: RemovedEntities,
    in database: inout Database,
    _ isChanged: inout Bool
  ) -> RemovedEntities? { nil }

  func danglingReferences(in database: Database) -> DanglingReferences? { nil }

  func violation(in database: Database, of table: TableName) -> RuleViolation? { nil }

  func check(_ removed: RemovedEntities, in database: Database) throws(RuleViolation) {}
}

/// The IDs of entities that were removed from a table, with their type erased.
struct RemovedEntities {
  private let table: AnyKeyPath
  private let ids: any Sendable

  init<Entity: EntityType>(_ table: AnyKeyPath, _ ids: [EntityID<Entity>]) {
    self.table = table
    self.ids = ids
  }

  /// The IDs, if they are those of this table; else nil.
  func ids<Entity: EntityType>(of type: Entity.Type, at table: AnyKeyPath) -> [EntityID<Entity>]? {
    self.table == table ? ids as? [EntityID<Entity>] : nil
  }
}

/// A rule of a schema that a database or a commit violates.
///
/// A commit that throws this is rolled back.
public enum RuleViolation: Error, Equatable, CustomStringConvertible {
  /// Several entities of a table have one key of a ``UniqueIndex``.
  case notUnique(table: TableName, index: String, key: String, ids: [String])
  /// An entity was removed while others refer to it with the rule `restrict`.
  case stillReferenced(table: TableName, id: String, by: TableName, ids: [String])
  /// Entities refer to one that does not exist, and the commit introduced that.
  case danglingReference(table: TableName, ids: [String], to: TableName, id: String)
  /// Entities for which a ``Check`` does not hold.
  case checkFailed(table: TableName, check: String, ids: [String])

  /// What is violated and what to do.
  public var description: String { "\(sentence). \(remedy)" }

  /// What is violated, without a full stop.
  package var sentence: String {
    switch self {
    case .notUnique(let table, let index, let key, let ids):
      """
      \(Self.list(ids)) in \(table) have the same key \(key) of the unique index \
      "\(table).\(index)"
      """
    case .stillReferenced(let table, let id, let source, let ids):
      """
      \(id) in \(table) cannot be removed: \(Self.entities(ids)) in \(source) \
      \(ids.count == 1 ? "refers" : "refer") to it
      """
    case .danglingReference(let table, let ids, let target, let id):
      """
      \(Self.entities(ids)) in \(table) \(ids.count == 1 ? "refers" : "refer") to \(id), which does not \
      exist in \(target)
      """
    case .checkFailed(let table, let check, let ids):
      """
      \(Self.entities(ids)) in \(table) \(ids.count == 1 ? "breaks" : "break") the check "\(check)"
      """
    }
  }

  private static func entities(_ ids: [String]) -> String {
    (ids.count == 1 ? "the entity " : "the entities ") + list(ids)
  }

  /// The first IDs, and how many more there are.
  private static func list(_ ids: [String]) -> String {
    let last = ids.count > 5 ? "\(ids.count - 5) more" : ids.last ?? ""
    let first = ids.count > 5 ? ids.prefix(5) : ids.dropLast()
    return first.isEmpty ? last : "\(first.joined(separator: ", ")) and \(last)"
  }

  private var remedy: String {
    switch self {
    case .notUnique: "Give all but one of them another key, or remove them."
    case .stillReferenced:
      """
      Remove those in the same commit, make them refer to another one, or declare another rule for \
      the removal.
      """
    case .danglingReference:
      """
      Insert that entity in the same commit or before, or declare the References with \
      existence: .unchecked.
      """
    case .checkFailed: "Give them values for which the check holds, or remove them."
    }
  }
}

/// References of one rule that lead to no entity.
public struct DanglingReferences: Sendable, Equatable, CustomStringConvertible {
  /// The table of the entities that refer.
  public let table: TableName
  /// The table they refer to.
  public let target: TableName
  /// How many IDs they refer to that are absent from it.
  public let count: Int
  /// The first five of those IDs, sorted by their text.
  public let ids: [String]

  /// `posts refer to 2 absent entities of users: ada, eve`.
  public var description: String {
    """
    \(table) refer to \(count) absent \(count == 1 ? "entity" : "entities") of \(target): \
    \(ids.joined(separator: ", "))\(count > ids.count ? " and \(count - ids.count) more" : "")
    """
  }
}
