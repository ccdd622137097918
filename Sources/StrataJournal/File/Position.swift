public import Foundation
package import StrataBase

/// The point in history that a store's file, or a copy of it, has reached.
///
/// Two files with the same store ID and epoch that have the same chain at the same revision have the same
/// history up to that revision.
public struct Position: Hashable, Sendable, CustomStringConvertible {
  /// Identifies the store: set when it is created, the same in every copy.
  public let storeID: UUID
  /// Raised whenever history is cut: after a restore with loss, and when a backup is restored.
  public let epoch: Int64
  /// The revision of the last delta.
  public let revision: Revision
  /// The hash of the last delta, which covers every one before it.
  package let chain: Checksum

  package init(storeID: UUID, epoch: Int64, revision: Revision, chain: Checksum) {
    self.storeID = storeID
    self.epoch = epoch
    self.revision = revision
    self.chain = chain
  }

  /// `revision 12 (epoch 1, chain 04ab…)`.
  public var description: String { "revision \(revision) (epoch \(epoch), chain \(chain))" }

  /// The chain before the first delta of a store.
  package static func genesis(of storeID: UUID) -> Checksum {
    Checksum(of: Array("strata".utf8) + storeID.byteArray)
  }
}
