package import StrataJournal

/// The history of a store as it is followed: whether what is at the path goes on in it.
///
/// It does not for another store, a backup that was restored, revisions that were lost, and a copy that went on by itself.
package struct FollowedHistory: Sendable {
  /// What is at the path instead.
  package enum Other: Sendable, Equatable {
    /// Another store.
    case store
    /// Another history of the same store.
    case history
  }

  /// The last position that was seen.
  package private(set) var position: Position

  /// Starts with what is at the path.
  package init(_ inspector: Inspector) throws(PersistenceError) {
    position = try inspector.position()
  }

  /// Follows the history to its present end; O(1).
  ///
  /// Returns what is there instead, which it follows from then on; nil if the history goes on.
  package mutating func follow(_ inspector: Inspector) throws(PersistenceError) -> Other? {
    let now = try inspector.position()
    guard try inspector.continues(position) else {
      defer { position = now }
      return now.storeID == position.storeID ? .history : .store
    }
    if position.revision < now.revision { position = now }
    return nil
  }
}

extension Inspector {
  /// Where the history of the store ends; O(snapshots).
  package func position() throws(PersistenceError) -> Position { try query { $0.position } }

  /// Whether the history goes on from where it ended before: ``ReadView/continues(_:)``.
  package func continues(_ position: Position) throws(PersistenceError) -> Bool {
    try query { try $0.continues(position) }
  }
}

extension ReadView {
  /// Whether the file has the history that ended at a position: it is the same store in the same lineage, and the revision
  /// has the same hash.
  ///
  /// O(1). If that revision was trimmed since, only the store and the lineage are compared.
  func continues(_ position: Position) throws -> Bool {
    guard identity.id == position.storeID, identity.lineage == position.lineageID else {
      return false
    }
    if let chain = try chain(at: position.revision) { return chain == position.chain }
    return position.revision < first ?? last.revision
  }
}
