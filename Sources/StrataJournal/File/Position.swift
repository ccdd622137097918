public import Foundation
package import StrataBase

/// The point in history that a store's file, or a copy of it, has reached.
///
/// Two files with the same store ID and lineage that have the same chain at the same revision have the same
/// history up to that revision.
public struct Position: Hashable, Sendable, CustomStringConvertible {
  /// Identifies the store: set when it is created, the same in every copy.
  public let storeID: UUID
  package let lineageID: Lineage.ID
  /// The revision of the last delta.
  public let revision: Revision
  /// The hash of the last delta, which covers every one before it.
  package let chain: Checksum

  package init(storeID: UUID, lineage: Lineage.ID, revision: Revision, chain: Checksum) {
    self.storeID = storeID
    lineageID = lineage
    self.revision = revision
    self.chain = chain
  }

  /// The unbroken history that the file is in, by 14 digits as `strata info` shows it.
  ///
  /// It is another one after an erasure, a restored backup, a fork, and a restore with loss.
  public var lineage: String { "\(lineageID)" }

  /// `revision 12 (lineage 5e2f04c1a98d37, chain 04ab…)`.
  public var description: String { "revision \(revision) (lineage \(lineage), chain \(chain))" }

  /// The chain before the first delta of a store, which begins with its lineage.
  package static func genesis(of storeID: UUID, _ lineage: Lineage.ID) -> Checksum {
    Checksum(of: Array("strata".utf8) + storeID.byteArray + lineage.number.bigEndianBytes)
  }
}
