import StrataCore
import StrataNormalization

/// A commit on its way to the file: the after-images, and what the delta will say of itself.
struct PendingDelta: Sendable {
  var first: Revision
  var revision: Revision
  var time: Int64
  var name: String
  var place: String
  var changes: ChangeSet

  /// This delta and the next one as one, covering the revisions of both.
  func merging(_ next: PendingDelta) -> PendingDelta {
    let count = next.revision.number - first.number + 1
    return PendingDelta(
      first: first,
      revision: next.revision,
      time: next.time,
      name: "\(count) commits merged",
      place: next.place,
      changes: changes.merging(next.changes)
    )
  }
}
