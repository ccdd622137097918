import StrataStorage

/// Why an undo or a redo was refused; nothing has happened.
public enum UndoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Entities of the commit were changed since, by someone else.
  case changedSince(String, entities: [String])
  /// The store shows another time.
  case onDetour

  /// What is in the way and what to do.
  public var description: String {
    switch self {
    case .changedSince(let name, let entities):
      """
      The commit "\(name)" is followed by changes that others made to \
      \(entities.prefix(5).joined(separator: ", "))\(entities.count > 5 ? " and more" : ""). Undo those \
      first, or call it with .overwrite to lose them.
      """
    case .onDetour:
      "The store shows another time, and what is done there is not kept. Go back to the present first."
    }
  }
}
