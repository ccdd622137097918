/// Why a database must not be as it is, or a commit must not leave it so.
///
/// A commit that throws this has not happened.
public enum RuleViolation: Error, Equatable, CustomStringConvertible {
  /// Several entities of a table have one key of a ``UniqueIndex``.
  case notUnique(table: TableName, index: String, key: String, ids: [String])
  /// An entity was removed to which others refer that must not be left alone.
  case stillReferenced(table: TableName, id: String, by: TableName, ids: [String])

  /// What happened and what to do.
  public var description: String { "\(sentence). \(remedy)" }

  /// What happened, without a full stop.
  package var sentence: String {
    switch self {
    case .notUnique(let table, let index, let key, let ids):
      """
      \(ids.joined(separator: " and ")) in \(table) have the same key \(key) of the unique index \
      "\(index)"
      """
    case .stillReferenced(let table, let id, let source, let ids):
      """
      \(id) in \(table) cannot be removed while \(ids.prefix(5).joined(separator: ", "))\
      \(ids.count > 5 ? " and \(ids.count - 5) more" : "") in \(source) refer to it
      """
    }
  }

  private var remedy: String {
    switch self {
    case .notUnique: "Give all but one another key, or remove them."
    case .stillReferenced:
      """
      Remove those in the same commit, let them refer to another one, or declare what removal does to \
      them.
      """
    }
  }
}
