import StrataBase

/// Travels with a commit and receives the revision that the commit becomes in the file of its store.
///
/// A hook of a store with a file sets it under the edit lock, and so before the commit returns.
package final class CommitRevision: Sendable {
  /// The key among the attachments of a commit.
  package static let key = CommitAttachmentKey<CommitRevision>()

  private let value = Lock<Int64?>(nil)

  /// Creates one without a revision.
  package init() {}

  /// The revision; nil if the commit changed nothing in a file.
  package var number: Int64? { value.withLock { $0 } }

  /// Sets the revision.
  package func set(_ number: Int64) { value.withLock { $0 = number } }
}
