import Foundation
import StrataBase
package import StrataJournal
package import StrataStorage

/// Leads an archive for a file that is opened next, which first gets the history that the archive has.
///
/// It makes the calls of a `Leadership` until the file may be opened; `ArchiveShipper` makes them from there.
package struct ArchiveOpening: Sendable {
  /// What to do with a file that lacks commits of the archive.
  package enum Lack: Sendable {
    case adopt
    case refuse
    /// Refuse, unless the file was taken back on purpose: then its history becomes that of the archive.
    case replaceIfTakenBack
    /// The same, also where the file has what was erased from the archive.
    case replaceWithErased

    fileprivate var replaces: Bool { self == .replaceIfTakenBack || self == .replaceWithErased }
  }

  /// What has been decided, by which the file goes on.
  private(set) var leadership: Leadership
  /// What renews the lease until another call does; nil without a lease.
  private(set) var renewal: LeaseRenewal?
  /// How far the archive was when it was led.
  package private(set) var mark: HistoryMark?
  /// The history that the archive had, if the file's takes its place.
  private(set) var replaced: Quarantine?
  private var adoption: ArchiveAdoption
  /// Where the file ends; nil if there is none.
  private var position: Position?
  private var epoch: Int64 = 0
  /// Whether this file led the archive last, and has all that it has.
  private var isCurrent = false
  private let lack: Lack

  /// Leads the archive, and brings the file to where the archive is.
  ///
  /// A missing file is pulled. If another leader has replaced a file's last commits, the file is set aside,
  /// and pulled. If the archive cannot be reached, an existing file is opened all the same.
  ///
  /// Throws `.archive` with `.led` while another process leads, with `.leaseTooLong` if it gives no sign and its lease is
  /// no usual one, with `.takenBack` if the file was taken back on purpose and the archive has another history, with
  /// `.lacksErasures` if the archive's history would bring entities back that were erased from the file, with `.away` if
  /// there is no file and the archive cannot be reached; `.alreadyOpen`; and what pulling throws.
  package init(
    of path: StorePath,
    in archive: any Archive,
    _ policy: ArchivePolicy,
    _ configuration: PersistenceConfiguration
  ) async throws(PersistenceError) {
    self.init(ArchiveAdoption(archive, path, policy, configuration), .adopt)
    do {
      try await run()
      try adoption.reportSetAside()
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Leads the archive for a file that only sends: it gets nothing from the archive, whose last snapshot and the
  /// deltas after it are verified.
  ///
  /// Throws like the first form: `.missing` if there is no file, and `.archive` with `.unusable` if the archive has
  /// commits that the file lacks, with `.damaged` if it cannot be pulled; then the archive has no new leader, and both
  /// are unchanged.
  ///
  /// - Parameter lack: `.refuse`, or one that replaces, which first pulls what the archive has into a directory beside
  ///   the file.
  package init(
    sending path: StorePath,
    to archive: any Archive,
    ifLacking lack: Lack = .refuse,
    _ policy: ArchivePolicy,
    _ configuration: PersistenceConfiguration
  ) async throws(PersistenceError) {
    self.init(ArchiveAdoption(archive, path, policy, configuration), lack)
    do {
      guard try adoption.fileExists() else { throw PersistenceError.Reason.missing }
      try await run()
      if let away = report.away { throw ArchiveError(.away(away), archive: archive.name) }
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  private init(_ adoption: ArchiveAdoption, _ lack: Lack) {
    self.adoption = adoption
    self.lack = lack
    leadership = Leadership(adoption.policy, as: adoption.leader, isOpen: false)
  }

  package var archive: any Archive { adoption.archive }
  package var policy: ArchivePolicy { adoption.policy }
  package var report: ArchiveReport { adoption.report }
  /// The lineage of the file, which the archive is led for; nil if there is no file yet.
  var lineage: Lineage.ID? { adoption.lineage }

  /// Whether the archive is to start again with the file's history, which began from its own.
  var isRewritten: Bool {
    if case .restarting = leadership.state { true } else { false }
  }

  /// Whether the archive has every commit up to a position of the file.
  ///
  /// An archive that still has entities that were erased from the file does not count as having it.
  package func has(_ position: Position) -> Bool {
    guard let mark, hasHistory else { return false }
    return position.revision <= mark.revision
  }

  /// Whether the archive has a history that may take the place of a damaged file.
  package var hasHistory: Bool { mark != nil && !isRewritten }

  /// Whether the archive may have what a damaged file has lost: it has a history, or was not reached.
  package var mayHaveHistory: Bool { hasHistory || report.away != nil }

  /// Pulls the archive's history in place of a file that was damaged, and of which nothing is left that the archive lacks.
  package mutating func replaceDamagedFile() async throws(PersistenceError) {
    try await adoption.replaceDamagedFile()
  }

  /// Notes that the report was given, as ``ArchiveAdoption/noteReported()`` does.
  package func noteReported() -> [String] { adoption.noteReported() }
}

/// Running.
extension ArchiveOpening {
  private mutating func run() async throws {
    let exists = try await adoption.isFree()
    let file = adoption.inspector
    if exists { (position, epoch) = try await file.read { ($0.position, $0.identity.epoch) } }
    adoption.lineage = position?.lineageID
    do {
      try await lead(file)
      await file.close()
    } catch {
      await file.close()
      await giveUp()
      guard let refusal = error as? ArchiveError, case .away(let detail) = refusal.reason, exists,
        report.setAside == nil, policy.withoutLead == .open
      else { throw error }
      adoption.report.away = detail
    }
  }

  /// Leads, and has the file get what the archive has; an archive without a store is left as it is.
  private mutating func lead(_ file: FileInspector) async throws {
    while let step = leadership.due {
      let event: Leadership.Event
      do {
        guard let next = try await perform(step, file) else { return }
        event = next
      } catch let error as ArchiveError where mayPass(error.reason) {
        event = .failed(.archive(error.reason))
      }
      let state = leadership.state
      for action in leadership.take(event, at: Scheduling.now) {
        switch action {
        case .start(let mark):
          self.mark = mark
          adoption.report.epoch = leadership.term?.epoch
        case .wait(let pause): try await Scheduling.sleep(for: pause)
        case .reportLost(let leader):
          let rest: Duration = if case .waiting(_, let rest) = state { rest } else { .zero }
          throw ArchiveError(.led(by: leader, for: rest), archive: archive.name)
        case .report(.archive(let reason)) where !mayPass(reason):
          throw ArchiveError(reason, archive: archive.name)
        case .acceptCommits, .refuseCommits, .report, .reportTakeover, .reportSent, .release,
          .limitBacklog:
          break
        }
      }
    }
  }

  /// Whether a call is made again after an error.
  private func mayPass(_ reason: ArchiveError.Reason) -> Bool {
    switch (reason, leadership.state) {
    // A leader that has died renews nothing, and its lease ends.
    case (.led, _): lack == .adopt && policy.withoutLead == .open
    // The archive has started again, or went back, while it was compared.
    case (.refused, .comparing), (.refused, .checking): replaced == nil
    default: false
    }
  }

  /// Makes a call; returns what has come of it, and nil once the file may be opened.
  private mutating func perform(
    _ step: Leadership.Step,
    _ file: FileInspector
  ) async throws -> Leadership.Event? {
    switch step {
    case .readHead:
      let head = try await archive.head()
      if head != nil || leadership.state != .seeking { return .headRead(head) }
      // It leads only once there is a file, and its commits must not find out then.
      try await archive.checkMayStart()
      return nil
    case .compare(let head): return .compared(try await relation(head, file))
    case .lead:
      guard case .eligible(let head?, _) = leadership.state else { return nil }
      return try await lead(after: head)
    case .adopt(let head, let relation):
      await file.close()
      if !isCurrent { try await adoption.adopt(head, relation, position) }
      return .adopted
    case .restart, .note, .send: return nil
    }
  }

  private mutating func lead(after head: ArchiveHead) async throws -> Leadership.Event {
    let candidate = ArchiveCandidate(
      store: head.store,
      epoch: max(epoch, head.epoch),
      leader: adoption.leader,
      lease: policy.lease,
      start: head.mark
    )
    let began = Scheduling.now
    let led = try await archive.lead(candidate)
    let term = ArchiveTerm(epoch: led.epoch, lease: policy.lease, leader: adoption.leader)
    renewal = LeaseRenewal(of: term, in: archive, since: began)
    return .led(led, candidate, since: began)
  }

  /// How the file relates to the archive: asked before leading, so that a refused file leaves no trace in the archive.
  private mutating func relation(
    _ head: ArchiveHead,
    _ file: FileInspector
  ) async throws -> ArchiveRelation {
    // What was kept of the archive is not all of it any more.
    if replaced != nil { throw ArchiveError(.refused, archive: archive.name) }
    guard let position else { return .behind }
    let mayAdopt = lack == .adopt
    let relation = try await adoption.relation(of: file, position, head, mayAdopt: mayAdopt)
    let hasLed = try await file.leadership() == head.epoch
    isCurrent = hasLed && relation == .atOrAhead
    let comparison = adoption.comparison(of: file, head)
    switch relation {
    case .takenBack:
      guard lack.replaces else { throw try await comparison.takenBack() }
      if lack != .replaceWithErased { try await refuseErased(comparison) }
      try await keepHistory(comparison, position)
      return .restarts
    case .atOrAhead where !mayAdopt: try await adoption.verifyEnd(at: head)
    case .restarts where mayAdopt && head.mark.revision == position.revision:
      if try await comparison.isSalvaged() { return .replaced(through: position.revision) }
    case .behind, .replaced, .diverged:
      if !mayAdopt { throw lacking(relation, position, head) }
    case .atOrAhead, .restarts: break
    }
    return relation
  }

  /// Ends its leadership, if it has one; if this does not arrive, the lease ends by itself.
  private mutating func giveUp() async {
    if let renewal {
      await renewal.end()
      do { try await archive.release(renewal.term) } catch _ {}
    }
    (renewal, mark, adoption.report.epoch) = (nil, nil, nil)
    leadership = Leadership(policy, as: adoption.leader, isOpen: false)
  }
}

/// Sending a file that lacks commits of the archive, or was taken back.
extension ArchiveOpening {
  /// Throws if the file has what was erased from the archive: it would be there again.
  private func refuseErased(_ comparison: ArchiveComparison) async throws {
    let count = try await comparison.returningErasures()
    if count == 0 { return }
    let entities = Measures.count(count, "entity", "entities")
    throw ArchiveError(
      .unusable(
        """
        the file was taken back to before the erasure of \(entities): the archive would have again what was erased. \
        `strata push STORE --to ARCHIVE --replace --with-erased` replaces it all the same; `strata erase` erases again
        """
      ),
      archive: archive.name
    )
  }

  /// Pulls what the archive has into a directory beside the file, before the file's history takes its place.
  private mutating func keepHistory(
    _ comparison: ArchiveComparison,
    _ position: Position
  ) async throws {
    let head = comparison.head
    if head.lease > .zero, head.leader != adoption.leader {
      throw ArchiveError(.led(by: head.leader, for: head.lease), archive: archive.name)
    }
    let common = try await comparison.commonRevision(before: position)
    let lost = common.flatMap { $0 < head.mark.revision ? $0.next...head.mark.revision : nil }
    let (archive, configuration) = (archive, adoption.configuration)
    let reason = """
      the archive \(archive.name) had it, and the file's history, which was taken back to revision \(position.revision), \
      has taken its place
      """
    replaced = try await Quarantine.keep(
      besideStoreAt: adoption.path,
      reason: reason,
      DisplacedHistory(lost),
      now: configuration.now(),
      on: configuration.disk
    ) { copy in
      let pull = ArchivePull(from: archive, to: copy, on: configuration.disk)
      let position = try await pull.run(to: .head, .whole)
      guard HistoryMark(position) == head.mark else {
        throw ArchiveError(.refused, archive: archive.name)
      }
    }
  }

  /// The refusal where the archive has what the file lacks.
  private func lacking(
    _ relation: ArchiveRelation,
    _ position: Position,
    _ head: ArchiveHead
  ) -> ArchiveError {
    let place = "the archive is at revision \(head.mark.revision), the file at \(position.revision)"
    let detail =
      switch relation {
      case .diverged(let common?):
        "\(place), and they have the same commits only through \(common)"
      case .diverged(nil): "\(place), and they have different commits"
      case .replaced(let common?):
        "\(place), and it has another history since, which began after revision \(common)"
      default: "\(place), and the archive has commits that the file lacks"
      }
    return ArchiveError(
      .unusable("\(detail): pull the archive to another path, and compare the two"),
      archive: archive.name
    )
  }
}
