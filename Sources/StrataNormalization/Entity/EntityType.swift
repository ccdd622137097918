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
/// About `==`: what a table's verbs write is never compared with it. Only where a table that was made
/// anew is assigned are entities compared with `==`; an `==` that looks at the ID alone would then
/// hide a difference from subscribers and from the file.
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

  /// The indexes that tables of this type keep; none unless the entity lists some.
  ///
  /// Write it as `static let`: each new table asks for it.
  static var indexes: EntityIndexes<Self> { get }

  /// Whether an ID comes before another where an index has nothing else to sort by.
  ///
  /// By raw value where that has an order, otherwise by hash.
  static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool
}

/// An entity with a value to take new fields from.
///
/// A field that stored records do not have yet, and that is not optional, is read from `defaults`.
/// (A synthesized `init(from:)` ignores `= 5` in the declaration.) The ID of `defaults` is not used.
public protocol DefaultingEntityType: EntityType {
  /// Where fields come from that a stored record lacks.
  static var defaults: Self { get }
}
