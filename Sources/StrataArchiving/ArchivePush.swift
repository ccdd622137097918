package import Foundation
package import StrataJournal
package import StrataStorage

/// Sends what a file has to an archive, for a store that no program has open.
///
/// It leads while it sends, as the store's program does while it has the file open, so it raises the epoch of
/// both.
package struct ArchivePush: Sendable {
  private let path: StorePath
  private let archive: any Archive
  private let policy: ArchivePolicy
  private let configuration: PersistenceConfiguration
  private let lack: ArchiveOpening.Lack

  /// What was sent.
  package struct Report: Sendable, Equatable {
    /// The archive.
    package let archive: String
    /// The store.
    package let store: UUID
    /// How far the archive was; nil if it had no store.
    package let before: Revision?
    /// How far it is.
    package let revision: Revision
    /// The epoch that it is in.
    package let epoch: Int64
    /// How many snapshots were sent.
    package let snapshots: Int
    /// The revisions whose deltas neither the file nor the archive has.
    package let gaps: [ClosedRange<Revision>]
    /// Whether the archive has started again, because entities were erased from the file, or it was taken back.
    package let hasRestarted: Bool
    /// The history that the archive had before, if the file was taken back.
    package let replaced: Quarantine?
  }

  /// - Parameter lack: what to do where the archive has commits that the file lacks: anything but `.adopt`.
  package init(
    from path: StorePath,
    to archive: any Archive,
    ifLacking lack: ArchiveOpening.Lack = .refuse,
    _ policy: ArchivePolicy = ArchivePolicy(),
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) {
    self.lack = lack
    self.path = path
    self.archive = archive
    self.policy = policy
    self.configuration = configuration
  }

  /// Sends the deltas that the archive lacks, a first snapshot, and the snapshots with names.
  ///
  /// What it continues is verified first, and a snapshot that was sent is read back: the last snapshot with the deltas
  /// after it, as a pull does. O(entities, and what is sent).
  ///
  /// Throws `.missing`; `.alreadyOpen`; `.archive` with `.led` while another process leads, with
  /// `.otherStore`, with `.takenBack` if the file was taken back on purpose, with `.unusable` if the archive has commits
  /// that the file lacks, with `.damaged` and with `.away`; and for the disk. What was sent before an error stays, and the
  /// next push continues from there.
  package func run() async throws(PersistenceError) -> Report {
    do {
      let before = try await archive.head()
      let snapshots = before == nil ? [] : try await archive.snapshots()
      let opening = try await ArchiveOpening(
        sending: path,
        to: archive,
        ifLacking: lack,
        policy,
        configuration
      )
      let writer = JournalWriter(path, configuration)
      let shipper = ArchiveShipper(of: writer, continuing: opening)
      do {
        try await writer.openForSending()
        try await shipper.sendOnce()
      } catch {
        await shipper.stop(within: policy.closingLimit)
        do { try await writer.close() } catch _ {}
        throw error
      }
      let gaps = shipper.currentStatus.gaps
      await shipper.stop(within: .zero)
      try await writer.close()
      guard let head = try await archive.head() else {
        throw ArchiveError(.empty, archive: archive.name)
      }
      let sent = try await archive.snapshots().count - snapshots.count
      if sent > 0 || opening.isRewritten {
        try await ArchivePull(from: archive, to: path, on: configuration.disk).verifyEnd(at: head)
      }
      return Report(
        archive: archive.name,
        store: head.store,
        before: before?.mark.revision,
        revision: head.mark.revision,
        epoch: head.epoch,
        snapshots: sent,
        gaps: gaps,
        hasRestarted: opening.isRewritten,
        replaced: opening.replaced
      )
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }
}
