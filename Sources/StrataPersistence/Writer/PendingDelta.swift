package import StrataCore
package import StrataNormalization

/// A commit on its way to the file: the after-images, and what the delta will say of itself.
package struct PendingDelta: Sendable {
  package var first: Revision
  package var revision: Revision
  package var time: Int64
  package var trace: CommitTrace
  package var changes: ChangeSet

  /// The commit's name, or how many commits this delta stands for.
  package var name: String {
    first == revision ? trace.name : "\(revision.number - first.number + 1) commits merged"
  }

  /// A run of deltas as one that covers the revisions of all; nil for none.
  ///
  /// O(changes · log deltas).
  static func merging(_ deltas: ArraySlice<PendingDelta>) -> PendingDelta? {
    guard deltas.count > 1 else { return deltas.first }
    let middle = deltas.startIndex + deltas.count / 2
    guard let earlier = merging(deltas[..<middle]), let later = merging(deltas[middle...]) else {
      return nil
    }
    return PendingDelta(
      first: earlier.first,
      revision: later.revision,
      time: later.time,
      trace: later.trace,
      changes: earlier.changes.merging(later.changes)
    )
  }
}
