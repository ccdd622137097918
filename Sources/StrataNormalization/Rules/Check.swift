import StrataBase

/// A rule of a schema for single entities: what must hold for each of them.
///
/// ```swift
/// static let schema = DatabaseSchema<Database> {
///   Entities(\.parts)
///   Check("stock", \.parts) { $0.stock >= 0 }
/// }
/// ```
///
/// It is checked at the end of a commit for each entity that the commit changed, in whatever way, O(1) each: a commit that leaves one
/// for which it does not hold throws ``RuleViolation/checkFailed(table:check:ids:)`` and is rolled back. So it must be quick, and
/// depend on the entity alone.
///
/// A new check may not hold for old data. Opening a file verifies all entities, as it does unique keys; data that is opened all
/// the same stays as it is until a commit changes it, and then the check must hold.
///
/// A file knows a check by its name only. So what a program without this schema writes to it, such as the command `strata`, is
/// checked when a program with the schema opens it next, and the command says so: `not checked: stock (parts)`. The same is
/// true of a ``UniqueIndex``.
public struct Check<Database: DatabaseType, Entity: EntityType>: SchemaRule {
  /// The name in errors.
  public let name: String
  let path: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable
  let holds: @Sendable (Entity) -> Bool

  /// Declares what must hold for each entity of a table.
  ///
  /// The name is that of one check of the schema, and says what an entity that breaks it breaks.
  public init(
    _ name: String,
    _ table: any WritableKeyPath<Database, EntityTable<Entity>> & Sendable,
    _ holds: @escaping @Sendable (Entity) -> Bool
  ) {
    if name.isEmpty {
      preconditionFailure(
        "A check must have a name, which its errors say: Check(\"stock\", \\.parts) { … }."
      )
    }
    self.name = name
    path = table
    self.holds = holds
  }

  var paths: [AnyKeyPath] { [path] }

  var check: String? { name }

  func check(
    after changes: ChangeSet,
    of table: TableName,
    from old: Database,
    in new: Database
  ) throws(RuleViolation) {
    let failing = changes.changes(of: Entity.self, in: table).compactMap { change in
      if case .put(let entity) = change, !holds(entity) { entity.id } else { nil }
    }
    if let violation = violation(failing, table) { throw violation }
  }

  func violation(in database: Database, of table: TableName) -> RuleViolation? {
    violation(database[keyPath: path].compactMap { holds($0) ? nil : $0.id }, table)
  }

  private func violation(_ ids: [EntityID<Entity>], _ table: TableName) -> RuleViolation? {
    ids.isEmpty
      ? nil : .checkFailed(table: table, check: name, ids: ids.map { "\($0)" }.inOrder())
  }
}

extension DatabaseSchemaBuilder {
  /// Adds one check.
  public static func buildExpression<Entity>(
    _ check: Check<Database, Entity>
  ) -> DatabaseSchemaPart<Database> {
    DatabaseSchemaPart(rule: check)
  }
}
