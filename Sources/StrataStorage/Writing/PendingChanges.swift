/// The changes of one commit on their way to the file, not encoded yet.
///
/// Storage knows no entity types. The side that knows them hands over the after-images in this form, and
/// the writer calls ``encode(into:_:)`` on its own thread.
package protocol PendingChanges: Sendable {
  /// How many entities changed.
  var count: Int { get }

  /// These changes and then the `later` ones of the same store, as one; of two changes of an entity the
  /// later one stays.
  ///
  /// O(changes of both).
  func merging(_ later: any PendingChanges) -> any PendingChanges

  /// Adds every change to a delta.
  func encode(into delta: inout DeltaEncoder, _ encoder: inout EntityEncoder) throws

  /// Calls `body` with the table and the text of the ID of every changed entity.
  func forEachEntity(_ body: (_ table: String, _ id: String) -> Void)
}
