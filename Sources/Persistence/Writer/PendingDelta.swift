import StrataCore
import StrataNormalization

/// A commit on its way to the file: the after-images, and what the delta will say of itself.
struct PendingDelta: Sendable {
  var first: Revision
  var revision: Revision
  var time: Int64
  var trace: CommitTrace
  var changes: ChangeSet

  /// The commit's name, or how many commits this delta stands for.
  var name: String {
    first == revision ? trace.name : "\(revision.number - first.number + 1) commits merged"
  }

  /// This delta and the next one as one, covering the revisions of both.
  func merging(_ next: PendingDelta) -> PendingDelta {
    PendingDelta(
      first: first,
      revision: next.revision,
      time: next.time,
      trace: next.trace,
      changes: changes.merging(next.changes)
    )
  }
}
