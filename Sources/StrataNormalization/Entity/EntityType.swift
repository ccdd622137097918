/// A value with an identity, stored in an ``EntityTable``.
///
/// ```swift
/// struct User: EntityType {
///   static let tableName: TableName = "users"
///   let id: EntityID<User>
///   var name: String
/// }
/// ```
///
/// Elsewhere `User.ID` is `EntityID<User>`. Persistence requires only `Codable`.
///
/// Tables of one origin, made from one another by copying and changing, are compared by the memory of their
/// entities, also by the `==` of the tables. So an `==` that compares only the ID hides no change. Entities are
/// compared with `==` only where one of the tables was built separately; an `==` that compares only the ID then
/// hides a difference from subscribers and from the file. For that reason the `==` of tables is not transitive
/// with such an entity: two tables of one origin that differ may both be equal to a third one.
public protocol EntityType: Codable, Equatable, Identifiable, Sendable
where ID == EntityID<Self> {
  /// The raw value of an ID: `String`, `Int`, `Int64`, `UUID`, or a type of your own.
  associatedtype RawID: Hashable & Codable & Sendable = String

  /// The name of the table on disk; explicit, so that renaming the Swift type loses no data.
  static var tableName: TableName { get }

  /// The identity.
  ///
  /// Unique in a table.
  var id: EntityID<Self> { get }

  /// The indexes that tables of this type maintain; none by default.
  ///
  /// Declare it as `static let`: each new table reads it.
  static var indexes: EntityIndexes<Self> { get }

  /// Whether an ID comes before another in an index that has nothing else to sort by.
  ///
  /// By default by raw value if that is `Comparable`, otherwise by hash.
  static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool
}

/// An entity with default values for new fields.
///
/// A field that is not optional and that stored records do not have yet is read from `defaults`. (A
/// synthesized `init(from:)` ignores `= 5` in the declaration.) The ID of `defaults` is not used.
public protocol DefaultingEntityType: EntityType {
  /// The entity that provides the fields that a stored record lacks.
  static var defaults: Self { get }
}

extension EntityType {
  /// No indexes.
  public static var indexes: EntityIndexes<Self> { [] }

  /// By hash: an arbitrary order that differs between processes.
  @inlinable
  public static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool {
    a.hashValue < b.hashValue
  }
}

extension EntityType where RawID: Comparable {
  /// By raw value.
  @inlinable
  public static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool { a < b }
}

/// The name of an entity table on disk, independent of the names of Swift types.
public struct TableName: Hashable, Sendable, Comparable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  /// The name itself.
  public let text: String

  /// Creates a name; it must not be empty.
  public init(_ text: String) {
    if text.isEmpty {
      fatalError("A table's name must not be empty: give the entity a tableName.")
    }
    self.text = text
  }

  /// Creates a name from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// The name itself.
  public var description: String { text }

  /// In the order of the UTF-8 bytes: the order of tables in a snapshot.
  public static func < (a: TableName, b: TableName) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
}
