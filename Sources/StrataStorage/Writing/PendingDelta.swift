package import StrataBase
package import StrataJournal

/// A commit on its way to the file: its changes, and what its delta will state about it.
package struct PendingDelta: Sendable {
  package var first: Revision
  package var revision: Revision
  /// Microseconds since 1970.
  package var time: Int64
  /// The commit's name; empty when it has none.
  package var commitName: String
  package var place: CommitPlace
  package var changes: any PendingChanges
  var contexts: PendingContexts

  package init(
    first: Revision,
    revision: Revision,
    time: Int64,
    commitName: String,
    place: CommitPlace,
    changes: any PendingChanges,
    context: (any PendingContext)? = nil
  ) {
    self.first = first
    self.revision = revision
    self.time = time
    self.commitName = commitName
    self.place = place
    self.changes = changes
    contexts = PendingContexts(context, of: revision)
  }

  /// The commit's name, or how many commits this delta stands for.
  package var name: String {
    first == revision ? commitName : "\(revision.number - first.number + 1) commits merged"
  }

  /// Merges a run of deltas into one that covers the revisions of all; nil for an empty run.
  ///
  /// O(changes · log deltas).
  static func merging(_ deltas: ArraySlice<PendingDelta>) -> PendingDelta? {
    guard deltas.count > 1 else { return deltas.first }
    let middle = deltas.startIndex + deltas.count / 2
    guard let earlier = merging(deltas[..<middle]), let later = merging(deltas[middle...]) else {
      return nil
    }
    var merged = later
    merged.first = earlier.first
    merged.changes = earlier.changes.merging(later.changes)
    merged.contexts = earlier.contexts.merging(later.contexts)
    return merged
  }
}
