import Foundation
import StrataBase

/// What happens to a file before it is opened with an archive: it gets the history that the archive has.
package struct ArchiveOpening: Sendable {
  /// The leadership; nil if the archive could not be reached, or has no store yet.
  package private(set) var term: ArchiveTerm?
  /// How far the archive was.
  package private(set) var mark: HistoryMark?
  /// Whether entities were erased from the file, which the archive still has.
  private(set) var isRewritten = false
  package private(set) var report = ArchiveReport()

  private let archive: any Archive
  private let path: StorePath
  private let configuration: PersistenceConfiguration

  /// Leads the archive, and brings the file to where the archive is.
  ///
  /// A file that is not there is pulled. A file whose last commits another leader has replaced is set aside, and
  /// pulled. If the archive cannot be reached, a file that is there is opened all the same.
  ///
  /// Throws `.archive` with `.led` while another process leads, with `.away` if there is no file and the
  /// archive cannot be reached; `.alreadyOpen`; and what pulling throws.
  package init(
    of path: StorePath,
    in archive: any Archive,
    _ configuration: PersistenceConfiguration
  ) async throws(PersistenceError) {
    self.archive = archive
    self.path = path
    self.configuration = configuration
    do {
      try await run()
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Brings the file to where the archive is, without leading.
  ///
  /// Throws like the other form, but for `.led`, and `.archive` with `.empty`.
  package init(
    following archive: any Archive,
    to path: StorePath,
    _ configuration: PersistenceConfiguration
  ) async throws(PersistenceError) {
    self.archive = archive
    self.path = path
    self.configuration = configuration
    do {
      try await follow()
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  private mutating func follow() async throws {
    let exists =
      try path.fileStatus(.opening) != .missing || Quarantine.hasInterruptedMove(path)
    let file = FileInspector(path, on: configuration.disk)
    if exists, try await file.hasWriter() {
      throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
    }
    let position = exists ? try await file.read(\.position) : nil
    do {
      guard let head = try await archive.head() else {
        throw ArchiveError(.empty, archive: archive.name)
      }
      if let position, position.storeID != head.store {
        throw ArchiveError(.otherStore(head.store), archive: archive.name)
      }
      try await adopt(head, head, file, position)
    } catch let error as ArchiveError {
      guard case .away(let detail) = error.reason, exists else { throw error }
      report.away = detail
    }
  }

  private mutating func run() async throws {
    let exists =
      try path.fileStatus(.opening) != .missing || Quarantine.hasInterruptedMove(path)
    let file = FileInspector(path, on: configuration.disk)
    if exists, try await file.hasWriter() {
      throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
    }
    let position = exists ? try await file.read(\.position) : nil
    let (before, head): (ArchiveHead, ArchiveHead)
    do {
      guard let found = try await lead(position) else { return }
      (before, head) = found
    } catch let error as ArchiveError {
      guard case .away(let detail) = error.reason, exists else { throw error }
      report.away = detail
      return
    }
    do {
      try await adopt(head, before, file, position)
    } catch {
      // The lease ends by itself if this does not arrive.
      if let term { do { try await archive.release(term) } catch _ {} }
      throw error
    }
  }

  /// Leads an archive that has a store; returns nil if it has none.
  ///
  /// The lease of a leader that has died ends meanwhile. One that is renewed belongs to a leader that works.
  private mutating func lead(
    _ position: Position?
  ) async throws -> (before: ArchiveHead, now: ArchiveHead)? {
    guard var head = try await archive.head() else { return nil }
    let policy = configuration.archiving
    let candidate = ArchiveCandidate(
      store: position?.storeID ?? head.store,
      epoch: position?.epoch ?? head.epoch,
      leader: policy.leader(at: path),
      lease: policy.lease,
      start: head.mark
    )
    while true {
      do {
        let new = try await archive.lead(candidate)
        term = ArchiveTerm(epoch: new.epoch, lease: policy.lease)
        mark = new.mark
        report.epoch = new.epoch
        return (head, new)
      } catch {
        guard case .led(_, let rest) = error.reason else { throw error }
        try await Task.sleep(for: min(rest + .milliseconds(10), .milliseconds(200)))
        guard let now = try await archive.head() else { return nil }
        // A lease that became longer was renewed.
        if now.epoch != head.epoch || now.lease > head.lease { throw error }
        head = now
      }
    }
  }

  private mutating func adopt(
    _ head: ArchiveHead,
    _ before: ArchiveHead,
    _ file: FileInspector,
    _ position: Position?
  ) async throws {
    let pull = ArchivePull(from: archive, to: path, on: configuration.disk)
    guard let position else {
      let pulled = try await pull.run()
      report.pulled = Revision(0)...pulled.revision
      return
    }
    let standing = try await ArchiveComparison(
      archive: archive,
      head: head,
      epochBefore: before.epoch,
      file: file
    ).standing()
    await file.close()
    switch standing {
    case .atOrAhead: return
    case .rewritten: isRewritten = true
    case .behind:
      let end = try await pull.catchUp(to: head)
      report.pulled = position.revision.next...end.revision
    case .farBehind, .diverged:
      try setAside(position, standing, head)
      let pulled = try await pull.run()
      report.pulled = Revision(0)...pulled.revision
    case .cut:
      throw ArchiveError(
        .unusable(
          """
          the file was taken back to revision \(position.revision), and the archive goes on to \
          \(head.mark.revision): give the file an archive of its own, or pull the archive to another path
          """
        ),
        archive: archive.name
      )
    }
  }

  private mutating func setAside(
    _ position: Position,
    _ standing: ArchiveStanding,
    _ head: ArchiveHead
  ) throws {
    var lost: ClosedRange<Revision>?
    if case .diverged(let common?) = standing, common < position.revision {
      lost = common.next...position.revision
    }
    let reason =
      standing == .farBehind
      ? "the archive \(archive.name) no longer has what follows revision \(position.revision)"
      : "another process has led the archive \(archive.name) and has other commits"
    let quarantine = try Quarantine.add(
      storeAt: path.file,
      reason: reason,
      now: configuration.now(),
      on: configuration.disk
    )
    report.setAside = ArchiveReport.SetAside(quarantine: quarantine, revisions: lost)
  }
}
