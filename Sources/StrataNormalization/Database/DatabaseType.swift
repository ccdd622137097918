/// The part of a state that is kept: a struct of entity tables.
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
/// What is not listed in the schema is neither persisted nor part of a ``ChangeSet``.
public protocol DatabaseType: Equatable, Sendable {
  /// Creates a database of empty tables.
  init()

  /// The tables.
  ///
  /// Write it as `static let`: it is read on every restore and installed once.
  static var schema: DatabaseSchema<Self> { get }
}
