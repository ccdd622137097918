/// References of one rule that lead to no entity.
public struct DanglingReferences: Sendable, Equatable, CustomStringConvertible {
  /// The table of the entities that refer.
  public let table: TableName
  /// The table they refer to.
  public let target: TableName
  /// How many IDs they refer to that are absent from it.
  public let count: Int
  /// The first five of those IDs, sorted by their text.
  public let ids: [String]

  /// `posts refer to 2 absent entities of users: ada, eve`.
  public var description: String {
    """
    \(table) refer to \(count) absent \(count == 1 ? "entity" : "entities") of \(target): \
    \(ids.joined(separator: ", "))\(count > ids.count ? " and \(count - ids.count) more" : "")
    """
  }
}

extension DatabaseType {
  /// The references that lead to no entity, of each rule that checks existence.
  ///
  /// O(referenced IDs · log n).
  public func danglingReferences() -> [DanglingReferences] {
    Self.schema.rules.compactMap { $0.danglingReferences(in: self) }
  }
}
