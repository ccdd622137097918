import StrataBase
import StrataCore
import StrataStorage

/// Travels with a commit and receives the revision that the commit became.
///
/// It is filled under the edit lock, and so before the commit returns.
final class CommitTicket: Sendable {
  /// The key of a commit's ticket among its attachments.
  static let key = CommitAttachmentKey<CommitTicket>()

  private let number = Lock<Revision?>(nil)

  /// The revision of the commit; nil if it changed nothing in the database.
  var revision: Revision? { number.withLock { $0 } }

  func stamp(_ revision: Revision) { number.withLock { $0 = revision } }
}
