import StrataBase
import StrataCore
import StrataStorage

/// What a commit brings along to learn which revision it became.
///
/// Filled under the edit lock, and so before the commit returns.
final class CommitTicket: Sendable {
  /// Under which a ticket travels with a commit.
  static let key = CommitAttachmentKey<CommitTicket>()

  private let number = Lock<Revision?>(nil)

  /// Nil for a commit that changed nothing of the database.
  var revision: Revision? { number.withLock { $0 } }

  func stamp(_ revision: Revision) { number.withLock { $0 = revision } }
}
