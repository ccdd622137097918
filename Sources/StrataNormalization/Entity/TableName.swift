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
