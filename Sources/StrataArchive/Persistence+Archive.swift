public import StrataArchiving
public import StrataJournal
public import StrataPersistence
public import StrataStorage

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
  /// Throws `PersistenceError` with an `ArchiveError` (`error.archive`), which is `.away` after `limit`, and
  /// `.notLeading` once another process leads. Throws the kind `.closed` after `close()`, and what `flush()` throws for
  /// the disk. Traps without an archive.
  public func replicated(
    through revision: Revision,
    within limit: Duration? = nil
  ) async throws(PersistenceError) {
    guard let shipper else {
      preconditionFailure(
        """
        replicated(through:) waits for an archive, and this Persistence has none. Pass one to \
        Persistence.open(…, with: [.archive(…)]).
        """
      )
    }
    try await shipper.reach(revision, within: limit)
  }

  /// The events of the archive from now on; ends with `close()`, and at once without an archive.
  ///
  /// A consumer that does not read loses nothing that it has to know: of what waits for it, the last event of a kind
  /// stands for all of them, and each gap for itself.
  public var archiveEvents: AsyncStream<ArchiveEvent> {
    shipper?.events.stream() ?? AsyncStream { $0.finish() }
  }

  package var shipper: ArchiveShipper? { companion as? ArchiveShipper }

  /// The last revision that the archive has; nil without an archive, and until it was reached.
  public var replicatedRevision: Revision? { shipper?.currentStatus.replicated }
}

extension CommitMark {
  /// The archive has the commit, too: it survives the loss of the machine.
  ///
  /// It waits for as long as the archive cannot be reached.
  public static let replicated = CommitMark(.companion(within: nil))

  /// The same, for a time at most.
  public static func replicated(within limit: Duration) -> CommitMark {
    CommitMark(.companion(within: limit))
  }
}

extension PersistenceStatus {
  /// The archive; nil if there is none.
  public var archive: ArchiveStatus? {
    get { parts[ArchiveStatus.self] }
    set { parts[ArchiveStatus.self] = newValue }
  }
}

extension RestoreReport {
  /// What the opening found in the archive and did; nil without one.
  public internal(set) var archive: ArchiveReport? {
    get { parts[ArchiveReport.self] }
    set { parts[ArchiveReport.self] = newValue }
  }
}

extension RestoreReport {
  /// Notes what was lost of a damaged file in whose place the history of its archive came.
  mutating func note(_ lost: RestoreLoss?, replacedThrough mark: HistoryMark?) {
    guard let lost, let mark else { return }
    notes.append(
      """
      the file was damaged, and the history of the archive through revision \(mark.revision) came in its place: \
      \(lost.damage ?? "it lost commits")
      """
    )
    guard let revisions = lost.revisions, revisions.upperBound > mark.revision else { return }
    loss = lost
    loss?.missing = []
    loss?.revisions = max(revisions.lowerBound, mark.revision.next)...revisions.upperBound
    outcome = .restoredWithLoss
  }
}
