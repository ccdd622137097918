/// A value with an identity, kept in an ``EntityTable``.
///
/// ```swift
/// struct User: EntityType {
///   static let tableName: TableName = "users"
///   let id: EntityID<User>
///   var name: String
/// }
/// ```
///
/// Elsewhere `User.ID` reads as `EntityID<User>`. Plain `Codable` is all that persistence asks for.
///
/// About `==`: an update made through a table's verbs is recorded and never compared. Only where a
/// whole table or database was assigned are entities compared with `==`; an `==` that looks at the
/// ID alone would then hide a difference from subscribers and from the file.
public protocol EntityType: Codable, Equatable, Identifiable, Sendable
where ID == EntityID<Self> {
  /// What an ID is made of: `String`, `Int`, `Int64`, `UUID`, or a type of your own.
  associatedtype RawID: Hashable & Codable & Sendable = String

  /// The name of the table on disk, spelled out, so that renaming the Swift type loses nothing.
  static var tableName: TableName { get }

  /// The identity.
  ///
  /// Two entities of one table never share it.
  var id: EntityID<Self> { get }
}

/// An entity with a value to take new fields from.
///
/// A field that stored records do not have yet, and that is not optional, is read from `defaults`.
/// (A synthesized `init(from:)` ignores `= 5` in the declaration.) The ID of `defaults` is not used.
public protocol DefaultingEntityType: EntityType {
  /// Where fields come from that a stored record lacks.
  static var defaults: Self { get }
}
