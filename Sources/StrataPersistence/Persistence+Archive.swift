import StrataArchive
public import StrataJournal
import StrataStorage

extension Persistence {
  /// Returns once the archive has every commit up to a revision: it survives the loss of this machine then.
  ///
  /// ```swift
  /// try await persistence.replicated(through: persistence.revision, within: .seconds(2))
  /// ```
  ///
  /// It waits for as long as the archive cannot be reached, up to `limit`. Nothing is taken back when that ends: the
  /// commits are in the file, and are sent once the archive can be reached.
  ///
  /// Throws `PersistenceError`: `.archive` with `.away` after `limit`; `.notLeading` once another process leads;
  /// `.closed`; and what `flush()` throws for the disk. Traps without an archive.
  public func replicated(
    through revision: Revision,
    within limit: Duration? = nil
  ) async throws(PersistenceError) {
    guard let shipper else {
      fatalError(
        """
        replicated(through:) waits for an archive, and this Persistence has none. Pass one to \
        Persistence.open(at:archive:).
        """
      )
    }
    try await shipper.replicated(through: revision, within: limit)
  }

  /// The last revision that the archive has; nil without an archive, and until it was reached.
  public var replicatedRevision: Revision? { shipper?.currentStatus.replicated }
}
