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
/// A table that is not listed in the schema is neither persisted nor part of a ``ChangeSet``.
public protocol DatabaseType: Equatable, Sendable {
  /// Creates a database of empty tables.
  init()

  /// The tables.
  ///
  /// Declare it as `static let`: it is read on every comparison and every restore.
  static var schema: DatabaseSchema<Self> { get }
}
