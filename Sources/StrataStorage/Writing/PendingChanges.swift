package import StrataJournal

/// The changes of one commit on their way to the file, not encoded yet.
///
/// Storage knows no entity types. `StrataPersistence` passes the changed entities in this form, and the
/// writer calls ``encode(into:_:)`` on its own thread.
package protocol PendingChanges: Sendable {
  /// How many entities changed.
  var count: Int { get }

  /// Merges these changes with the `later` ones of the same store. Of two changes of an entity the later
  /// one stays.
  ///
  /// O(changes of both).
  func merging(_ later: any PendingChanges) -> any PendingChanges

  /// Adds every change to a delta.
  func encode(into delta: inout DeltaEncoder, _ encoder: inout EntityEncoder) throws

  /// Calls `body` with the table of every changed entity, and its ID as text.
  func forEachEntity(_ body: (_ table: String, _ id: String) -> Void)
}
