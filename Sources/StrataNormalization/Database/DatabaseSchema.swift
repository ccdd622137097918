import StrataBase

/// A struct of entity tables: the part of a state that persistence stores.
///
/// ```swift
/// struct Database: DatabaseType {
///   var users = EntityTable<User>()
///   var archived = EntityTable<User>()
///
///   static let schema = DatabaseSchema<Database> {
///     Entities(\.users)
///     Entities(\.archived, named: "archived_users")
///   }
/// }
/// ```
///
/// The schema lists every table. Opening a file refuses a database whose schema leaves one out, and so
/// does a store in memory with rules: see ``checkSchema()``. A table that must not be stored is listed
/// too, and excluded by an option when the file is opened.
public protocol DatabaseType: Equatable, Sendable {
  /// Creates a database of empty tables.
  init()

  /// The tables.
  ///
  /// Declare it as `static let`: it is read on every comparison and every restore.
  static var schema: DatabaseSchema<Self> { get }
}

/// The tables of a database, each with its name on disk, and the rules for their entities.
public struct DatabaseSchema<Database: DatabaseType>: Sendable {
  /// The tables, in the order of their names.
  public let tables: [any SchemaTable<Database>]
  let rules: [any SchemaRule<Database>]
  /// For each rule, the table of the entities that it checks.
  let ruleTables: [TableName]
  /// For each table, its name.
  private let names: [TableName]
  /// For each table, its bytes in the database; nil if its path leads through a computed property.
  let bytes: [Range<Int>?]
  /// The tables with an index that has a rule.
  let indexed: [any SchemaTable<Database>]

  /// Creates a schema from a list of `Entities(\.table)`, `References(from: \.table, …)` and `Check("name", \.table) { … }`.
  ///
  /// Two tables of one name trap, because they could not be distinguished in the file, and so do two checks of one name. References
  /// and checks of a table that is not listed trap too, because they would be silently ignored, and so do references that
  /// name an index that its entity type does not list in ``EntityType/indexes``, because no table maintains it.
  public init(@DatabaseSchemaBuilder<Database> _ parts: () -> [DatabaseSchemaPart<Database>]) {
    let parts = parts()
    let tables = parts.compactMap(\.table).inOrder { $0.name < $1.name }
    for (a, b) in zip(tables, tables.dropFirst()) where a.name == b.name {
      fatalError(
        """
        The schema of \(Database.self) has two tables named "\(a.name)". Give one of them another \
        name: Entities(\\.table, named: "other_name").
        """
      )
    }
    let rules = parts.compactMap(\.rule)
    let paths = Set(tables.map(\.place))
    for rule in rules {
      for path in rule.paths where !paths.contains(path) {
        fatalError(
          """
          The schema of \(Database.self) has \(rule.check.map { "the check \"\($0)\"" } ?? "References") of \
          \(path), but does not list it as a table: add Entities(…) for it.
          """
        )
      }
    }
    for rule in rules { rule.checkIndex() }
    let checks = rules.compactMap(\.check)
    for name in Set(checks) where checks.count(where: { $0 == name }) > 1 {
      preconditionFailure(
        "The schema of \(Database.self) has two checks named \"\(name)\". Give one of them another name."
      )
    }
    self.tables = tables
    self.rules = rules
    names = tables.map(\.name)
    bytes = tables.map(\.bytes)
    indexed = tables.filter(\.hasIndexRules)
    ruleTables = rules.compactMap { rule in tables.first { $0.place == rule.paths[0] }?.name }
  }

  /// By each table, the names of its checks and unique keys, sorted: what only a program with its types can check.
  package var namesOfRules: [String: [String]] {
    let checks = zip(rules, ruleTables).compactMap { rule, table in rule.check.map { (table, $0) } }
    return Dictionary(
      uniqueKeysWithValues: tables.map { table in
        let checks = checks.filter { $0.0 == table.name }.map(\.1)
        return (table.name.text, Set(checks + table.uniqueKeys).inOrder())
      }
    )
  }

  /// The table of this name, or nil.
  public func table(named name: TableName) -> (any SchemaTable<Database>)? {
    names.firstIndex(of: name).map { tables[$0] }
  }
}

/// One part of a ``DatabaseSchema``: a table or a rule.
public struct DatabaseSchemaPart<Database: DatabaseType>: Sendable {
  var table: (any SchemaTable<Database>)?
  var rule: (any SchemaRule<Database>)?
}

/// Collects the parts of a ``DatabaseSchema``.
@resultBuilder
public enum DatabaseSchemaBuilder<Database: DatabaseType> {
  /// Adds one table.
  public static func buildExpression<Entity>(
    _ table: Entities<Database, Entity>
  ) -> DatabaseSchemaPart<Database> {
    DatabaseSchemaPart(table: table)
  }

  /// Collects all parts.
  public static func buildBlock(
    _ parts: DatabaseSchemaPart<Database>...
  ) -> [DatabaseSchemaPart<Database>] {
    parts
  }
}
