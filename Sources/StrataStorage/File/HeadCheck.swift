package import Foundation

/// What the head says about a file that was read.
///
/// Pure.
package enum HeadCheck: Equatable, Sendable {
  /// They agree.
  case consistent
  /// Worth telling, nothing more.
  case note(String)
  /// The file lacks what was acknowledged.
  case damage(String)

  /// Compares a head with the position that was recovered from the file.
  ///
  /// What was durable must be there. What was only written must be there unless the machine was
  /// booted since: then it is the tail a power cut may take.
  package static func compare(
    _ head: HeadRecord?,
    recovered: Position,
    bootID: UUID
  ) -> HeadCheck {
    guard let head else {
      return .note("the head file is missing or torn, so a lost tail could not be noticed")
    }
    guard head.storeID == recovered.storeID, head.epoch == recovered.epoch else {
      return .note("the head file belongs to another store or epoch and was passed over")
    }
    if recovered.revision < head.durable.revision {
      return .damage(
        """
        it ends at revision \(recovered.revision), but revision \(head.durable.revision) was \
        acknowledged as durable
        """
      )
    }
    if recovered.revision == head.durable.revision, recovered.chain != head.durable.chain {
      return .damage("revision \(recovered.revision) is not the one that was acknowledged")
    }
    guard recovered.revision < head.written.revision else { return .consistent }
    if head.bootID == bootID {
      return .damage(
        """
        it ends at revision \(recovered.revision), but revision \(head.written.revision) was \
        written since this machine was booted
        """
      )
    }
    return .note(
      """
      a power cut took the commits \(recovered.revision.next) to \(head.written.revision), none \
      of which had been acknowledged as durable
      """
    )
  }

  /// What is worth noting; throws where it is damage.
  func noteOrError() throws(CorruptionError) -> String? {
    switch self {
    case .consistent: return nil
    case .note(let note): return note
    case .damage(let detail): throw CorruptionError(detail)
    }
  }
}
