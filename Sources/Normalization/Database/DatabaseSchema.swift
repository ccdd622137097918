/// The tables of a database, each with its name on disk.
public struct DatabaseSchema<Database: DatabaseType>: Sendable {
  /// The tables, in the order of their names.
  public let tables: [any SchemaTable<Database>]

  /// Creates a schema from a list of `Entities(\.table)`.
  ///
  /// Two tables of one name trap: nothing could tell them apart in the file.
  public init(@DatabaseSchemaBuilder<Database> _ tables: () -> [any SchemaTable<Database>]) {
    let tables = tables().sorted { $0.name < $1.name }
    for (a, b) in zip(tables, tables.dropFirst()) where a.name == b.name {
      fatalError(
        """
        The schema of \(Database.self) has two tables named "\(a.name)". Give one of them another \
        name: Entities(\\.table, named: "other_name").
        """
      )
    }
    self.tables = tables
  }

  /// The table of this name, or nil.
  public func table(named name: TableName) -> (any SchemaTable<Database>)? {
    tables.first { $0.name == name }
  }
}

/// Collects the tables of a ``DatabaseSchema``.
@resultBuilder
public enum DatabaseSchemaBuilder<Database: DatabaseType> {
  /// Takes one table.
  public static func buildExpression<Entity>(
    _ table: Entities<Database, Entity>
  ) -> any SchemaTable<Database> {
    table
  }

  /// Takes all tables.
  public static func buildBlock(
    _ tables: any SchemaTable<Database>...
  ) -> [any SchemaTable<Database>] {
    tables
  }
}
