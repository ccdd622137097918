public import Foundation
package import StrataBase

/// Where a file, or a copy of it, stands.
///
/// Two files of one store id and epoch that have the same chain at the same revision have the same
/// history up to there.
public struct Position: Hashable, Sendable, CustomStringConvertible {
  /// Which store it is; given at creation, kept by every copy.
  public let storeID: UUID
  /// Raised whenever history is cut.
  public let epoch: Int64
  /// The last delta.
  public let revision: Revision
  /// The hash of the last delta, which covers every one before it.
  package let chain: Checksum

  package init(storeID: UUID, epoch: Int64, revision: Revision, chain: Checksum) {
    self.storeID = storeID
    self.epoch = epoch
    self.revision = revision
    self.chain = chain
  }

  /// The hash of the last delta, in hexadecimal digits.
  public var chainText: String { chain.description }

  /// `revision 12 (epoch 1, chain 04ab…)`.
  public var description: String { "revision \(revision) (epoch \(epoch), chain \(chain))" }

  /// The chain before the first delta of a store.
  static func genesis(of storeID: UUID) -> Checksum {
    Checksum(of: Array("strata".utf8) + storeID.byteArray)
  }
}
