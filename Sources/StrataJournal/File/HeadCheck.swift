package import Foundation

/// The result of comparing a store's head with the file that was read.
///
/// Pure.
package enum HeadCheck: Equatable, Sendable {
  /// The file has everything that the head says was written.
  case consistent
  /// No damage, but worth a note in the report.
  case note(String)
  /// The file is not the one that the head describes.
  case damage(String)
  /// The file ends before a revision that was written.
  case endMissing(last: Revision, written: Revision)

  /// Compares a head with the position that was recovered from the file.
  ///
  /// What was durable must be there. What was only written must be there too, unless the machine was
  /// rebooted since: a power cut may lose it.
  ///
  /// - Parameter lineages: Those of the file.
  package static func compare(
    _ head: HeadRecord?,
    recovered: Position,
    _ lineages: [Lineage],
    bootID: UUID
  ) -> HeadCheck {
    guard let head else {
      return .note("the head file is missing or torn, so a lost end cannot be detected")
    }
    // A copy from before a lineage began, as by an erasure, lacks an end as one from after it.
    let isFormer = lineages.dropLast().contains { $0.id == head.lineage }
    if head.storeID == recovered.storeID, !isFormer, recovered.revision < head.durable.revision {
      return .endMissing(last: recovered.revision, written: head.durable.revision)
    }
    guard head.storeID == recovered.storeID, head.lineage == recovered.lineageID else {
      return .note("the head file belongs to another store or lineage and was ignored")
    }
    if recovered.revision == head.durable.revision, recovered.chain != head.durable.chain {
      return .damage(
        """
        it is not the file that its .head describes: hash mismatch at revision \(recovered.revision): acknowledged \(head.durable.chain), found \
        \(recovered.chain)
        """
      )
    }
    guard recovered.revision < head.written.revision else { return .consistent }
    if head.bootID == bootID {
      return .endMissing(last: recovered.revision, written: head.written.revision)
    }
    return .note(
      """
      a power cut lost the commits \(recovered.revision.next) to \(head.written.revision), none \
      of which had been acknowledged as durable
      """
    )
  }

  /// The note, if there is one; throws damage and a missing end as an error.
  package func noteOrError() throws(PersistenceError.Reason) -> String? {
    switch self {
    case .consistent: return nil
    case .note(let note): return note
    case .damage(let detail): throw .damaged(detail)
    case .endMissing(let last, let written): throw .endMissing(last: last, written: written)
    }
  }
}
