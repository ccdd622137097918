/// Why a change of an entity table was refused.
///
/// The table is unchanged.
public enum EntityError: Error, Equatable, CustomStringConvertible {
  /// There is no entity with this ID in the table.
  case notFound(table: TableName, id: String)
  /// The closure of an update gave the entity another ID.
  case idChanged(table: TableName, from: String, to: String)

  /// What happened and what to do.
  public var description: String {
    switch self {
    case .notFound(let table, let id):
      """
      There is no entity \(id) in \(table). Insert it first, or use updateIfExists where it may \
      be absent.
      """
    case .idChanged(let table, let from, let to):
      """
      An update of entity \(from) in \(table) changed its ID to \(to). Remove the entity and \
      insert one with the new ID.
      """
    }
  }
}
