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
