/// Why an undo or a redo was refused; the store is unchanged.
public enum UndoError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Another dispatcher changed entities of the commit after it.
  case changedSince(String, entities: [String])
  /// The store shows a state that is not kept.
  case previewing

  /// What prevents it and what to do.
  public var description: String {
    switch self {
    case .changedSince(let name, let entities):
      """
      The commit "\(name)" cannot be undone or redone: others have changed \
      \(entities.prefix(5).joined(separator: ", "))\(entities.count > 5 ? " and more" : "") since. \
      Undo those changes first, or pass .overwrite to discard them.
      """
    case .previewing:
      """
      The store shows a state of another time, and commits made there are not kept. Return to the \
      present first.
      """
    }
  }
}

/// What to do about entities that another dispatcher has changed since the commit.
public enum UndoConflict: Sendable {
  /// Throw ``UndoError`` and change nothing.
  case refuse
  /// Restore them too.
  ///
  /// The later changes are lost to the store; the history of a persisted store still has them.
  case overwrite
}
