import Foundation
import StrataBase
package import StrataJournal
package import StrataStorage

/// Prepares a file that is opened with an archive: it gets the history that the archive has.
package struct ArchiveOpening: Sendable {
  /// The leadership, whose lease is renewed; nil if the archive could not be reached, or has no store yet.
  private var lease: (term: ArchiveTerm, renewal: LeaseRenewal)?
  /// How far the archive was.
  package private(set) var mark: HistoryMark?
  /// The lineage of the file, which the archive is led for; nil if there is no file yet.
  private(set) var lineage: Lineage.ID?
  /// Whether the archive is to start again with the file's history, which began from its own.
  private(set) var isRewritten = false
  /// The history that the archive had, if the file's takes its place.
  private(set) var replaced: Quarantine?
  package private(set) var report = ArchiveReport()

  package let archive: any Archive
  package let policy: ArchivePolicy
  private let path: StorePath
  private let configuration: PersistenceConfiguration

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
    self.init(archive, path, policy, configuration)
    do {
      try await run()
      try reportSetAside()
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Brings the file to where the archive is, without leading.
  ///
  /// Throws like the other form, except `.led`; also `.archive` with `.empty`, and with `.lacksErasures` until a leader has
  /// erased the entities from the archive too.
  package init(
    following archive: any Archive,
    to path: StorePath,
    _ policy: ArchivePolicy,
    _ configuration: PersistenceConfiguration
  ) async throws(PersistenceError) {
    self.init(archive, path, policy, configuration)
    do {
      try await follow()
      try reportSetAside()
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
    self.init(archive, path, policy, configuration)
    do {
      guard try fileExists() else { throw PersistenceError.Reason.missing }
      try await run(ifLacking: lack)
      if let away = report.away { throw ArchiveError(.away(away), archive: archive.name) }
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  /// What the opening has obtained.
  var leadership: Leadership {
    let state = lease.map {
      isRewritten ? Leadership.State.restarting($0.term) : .takingOver($0.term)
    }
    return Leadership(
      policy,
      as: policy.leader(at: path),
      in: state ?? .seeking,
      since: lease?.renewal.start
    )
  }

  /// What renews the lease until another call does.
  var renewal: LeaseRenewal? { lease?.renewal }

  private init(
    _ archive: any Archive,
    _ path: StorePath,
    _ policy: ArchivePolicy,
    _ configuration: PersistenceConfiguration
  ) {
    self.archive = archive
    self.policy = policy
    self.path = path
    self.configuration = configuration
  }

  /// Whether there is a file, once moves that a crash interrupted are completed.
  private func fileExists() throws -> Bool {
    try Quarantine.completeMoves(of: path, now: configuration.now(), on: configuration.disk)
    return try path.fileStatus(.opening) != .missing
  }

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

  private mutating func follow() async throws {
    let exists = try fileExists()
    let file = FileInspector(path, on: configuration.disk)
    if exists, try await file.hasWriter() {
      throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
    }
    do {
      guard var head = try await archive.head() else {
        throw ArchiveError(.empty, archive: archive.name)
      }
      while let newer = try await take(head, file) { head = newer }
    } catch let error as ArchiveError {
      guard case .away(let detail) = error.reason, exists, report.setAside == nil else {
        throw error
      }
      report.away = detail
    }
  }

  /// Brings the file to where the archive is, or was a moment ago.
  ///
  /// Returns the head of the archive if that has started again meanwhile, so that what was read is of two histories.
  private mutating func take(_ head: ArchiveHead, _ file: FileInspector) async throws
    -> ArchiveHead?
  {
    let former = head.mark
    do {
      var head = head
      let position = try fileExists() ? try await file.read(\.position) : nil
      let relation = try await followedRelation(of: file, position, &head)
      await file.close()
      try await adopt(head, relation, position)
      return nil
    } catch {
      await file.close()
      let known = PersistenceError(.opening, path: path.file, wrapping: error)
      if let refusal = known.archive, case .away = refusal.reason { throw error }
      guard let newer = try await archive.head(replacing: former) else { throw error }
      return newer
    }
  }

  /// How a follower's file relates to the archive; nil if there is no file.
  private func followedRelation(
    of file: FileInspector,
    _ position: Position?,
    _ head: inout ArchiveHead
  ) async throws -> ArchiveRelation? {
    guard let position,
      let relation = try await relation(of: file, position, &head, for: .following)
    else { return nil }
    try await refuseMissingErasures(of: file, head)
    switch relation {
    case .restarts: return .diverged(after: nil)
    // The archive has lost the end of the file, and a follower must not add it again.
    case .atOrAhead where position.revision > head.mark.revision:
      return .diverged(after: head.mark.revision)
    case .atOrAhead, .behind, .replaced, .diverged, .takenBack: return relation
    }
  }

  private mutating func run(ifLacking lack: Lack = .adopt) async throws {
    let exists = try fileExists()
    let file = FileInspector(path, on: configuration.disk)
    if exists, try await file.hasWriter() {
      throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
    }
    let (position, epoch) =
      exists ? try await file.read { ($0.position, $0.identity.epoch) } : (nil, 0)
    lineage = position?.lineageID
    do {
      guard var head = try await archive.head() else {
        // It leads only once there is a file, and its commits must not find out then.
        return try await archive.checkMayStart()
      }
      // Compared before leading: a refused file leaves no trace in the archive.
      var relation = try await relation(of: file, position, &head, ifLacking: lack)
      if lack != .adopt {
        try refuse(relation, position, head)
        if relation == .atOrAhead { try await verifyEnd(at: head) }
      }
      if case .takenBack? = relation, let position {
        if lack != .replaceWithErased { try await refuseErased(of: head, file) }
        try await keepHistory(of: head, file, position)
      }
      let isOwn = exists ? try await file.leadership() == head.epoch : false
      let candidate = candidate(epoch, head)
      let led = try await lead(
        candidate,
        isWaiting: lack == .adopt && policy.withoutLead == .open
      )
      if !candidate.leads(to: led, from: head) {
        // Another process led in between.
        head = led
        if replaced != nil { throw ArchiveError(.refused, archive: archive.name) }
        relation = try await self.relation(of: file, position, &head, ifLacking: lack)
        if lack != .adopt { try refuse(relation, position, head) }
      }
      if lack == .adopt, relation == .restarts, let position,
        led.mark.revision == position.revision, try await isSalvaged(file, led)
      {
        relation = .replaced(through: position.revision)
      }
      await file.close()
      if isOwn, relation == .atOrAhead { return }
      try await adopt(led, relation, position)
    } catch let error as ArchiveError {
      guard case .away(let detail) = error.reason, exists, report.setAside == nil,
        policy.withoutLead == .open
      else {
        await giveUp()
        throw error
      }
      await giveUp()
      report.away = detail
    } catch {
      await giveUp()
      throw error
    }
  }

  /// Throws if the archive is damaged where it is to be continued.
  private func verifyEnd(at head: ArchiveHead) async throws {
    try await ArchivePull(from: archive, to: path, on: configuration.disk).verifyEnd(at: head)
  }

  /// Throws if the file has what was erased from the archive: it would be there again.
  private func refuseErased(of head: ArchiveHead, _ file: FileInspector) async throws {
    let leader = policy.leader(at: path)
    let count = try await ArchiveComparison(archive, head, leader, file).returningErasures()
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

  /// Whether a file may lack entities that the archive has, which its history would take from the archive.
  private func isSalvaged(_ file: FileInspector, _ head: ArchiveHead) async throws -> Bool {
    try await ArchiveComparison(archive, head, policy.leader(at: path), file).isSalvaged()
  }

  /// Pulls what the archive has into a directory beside the file, before the file's history takes its place.
  private mutating func keepHistory(
    of head: ArchiveHead,
    _ file: FileInspector,
    _ position: Position
  ) async throws {
    let leader = policy.leader(at: path)
    if head.lease > .zero, head.leader != leader {
      throw ArchiveError(.led(by: head.leader, for: head.lease), archive: archive.name)
    }
    let common = try await ArchiveComparison(archive, head, leader, file)
      .commonRevision(before: position)
    let lost = common.flatMap { $0 < head.mark.revision ? $0.next...head.mark.revision : nil }
    let (archive, disk) = (archive, configuration.disk)
    let reason = """
      the archive \(archive.name) had it, and the file's history, which was taken back to revision \(position.revision), \
      has taken its place
      """
    replaced = try await Quarantine.keep(
      besideStoreAt: path,
      reason: reason,
      DisplacedHistory(lost),
      now: configuration.now(),
      on: disk
    ) { copy in
      let position = try await ArchivePull(from: archive, to: copy, on: disk).run(to: .head, .whole)
      guard HistoryMark(position) == head.mark else {
        throw ArchiveError(.refused, archive: archive.name)
      }
    }
  }

  /// Throws if the archive has what the file lacks.
  private func refuse(
    _ relation: ArchiveRelation?,
    _ position: Position?,
    _ head: ArchiveHead
  ) throws(ArchiveError) {
    guard let relation, let position else { return }
    let place = "the archive is at revision \(head.mark.revision), the file at \(position.revision)"
    let detail: String
    switch relation {
    case .atOrAhead, .restarts, .takenBack: return
    case .diverged(let common?):
      detail = "\(place), and they have the same commits only through \(common)"
    case .diverged(nil): detail = "\(place), and they have different commits"
    case .replaced(let common?):
      detail = "\(place), and it has another history since, which began after revision \(common)"
    case .behind, .replaced(nil):
      detail = "\(place), and the archive has commits that the file lacks"
    }
    throw ArchiveError(
      .unusable("\(detail): pull the archive to another path, and compare the two"),
      archive: archive.name
    )
  }

  /// Ends its leadership, if it has one; if this does not arrive, the lease ends by itself.
  private mutating func giveUp() async {
    if let lease {
      await lease.renewal.end()
      do { try await archive.release(lease.term) } catch _ {}
    }
    (lease, mark, report.epoch) = (nil, nil, nil)
    isRewritten = false
  }

  /// How the file relates to the archive; nil if there is no file.
  ///
  /// - Parameter head: the head of the archive, before and after.
  private func relation(
    of file: FileInspector,
    _ position: Position?,
    _ head: inout ArchiveHead,
    ifLacking lack: Lack = .adopt,
    for purpose: ArchiveComparison.Purpose = .leading
  ) async throws -> ArchiveRelation? {
    guard let position else { return nil }
    let leader = policy.leader(at: path)
    while true {
      if position.storeID != head.store {
        // Two machines that started together have each made a store; the one without commits takes the other's.
        if position.revision == 0, lack == .adopt { return .diverged(after: nil) }
        throw ArchiveError(.otherStore(head.store), archive: archive.name)
      }
      let comparison = ArchiveComparison(archive, head, leader, file, for: purpose)
      let relation = try await comparison.relation()
      switch relation {
      case .atOrAhead: return relation
      case .behind:
        try await refuseMissingErasures(of: file, head)
        return relation
      case .replaced, .restarts, .diverged, .takenBack: break
      }
      // The catalog may be of a history that has started since.
      if let now = try await archive.head(replacing: head.mark) {
        head = now
        continue
      }
      switch relation {
      case .replaced, .diverged: try await refuseMissingErasures(of: file, head)
      case .takenBack where !lack.replaces: throw try await comparison.takenBack()
      case .atOrAhead, .behind, .restarts, .takenBack: break
      }
      return relation
    }
  }

  /// Throws if the archive's history has entities that were erased from the file: taking it would bring them back.
  private func refuseMissingErasures(of file: FileInspector, _ head: ArchiveHead) async throws {
    let leader = policy.leader(at: path)
    let count = try await ArchiveComparison(archive, head, leader, file).missingErasures()
    if count > 0 { throw ArchiveError(.lacksErasures(count), archive: archive.name) }
  }

  private func candidate(_ epoch: Int64, _ head: ArchiveHead) -> ArchiveCandidate {
    ArchiveCandidate(
      store: head.store,
      epoch: max(epoch, head.epoch),
      leader: policy.leader(at: path),
      lease: policy.lease,
      start: head.mark
    )
  }

  /// Leads, and returns the new head.
  ///
  /// The lease of a leader that has died ends in the meantime. A lease that is renewed belongs to a working
  /// leader. It waits for two leases at most.
  private mutating func lead(
    _ candidate: ArchiveCandidate,
    isWaiting: Bool
  ) async throws -> ArchiveHead {
    var wait = LeaseWait(lease: candidate.lease)
    while true {
      do {
        let began = Scheduling.now
        let new = try await archive.lead(candidate)
        let term = ArchiveTerm(
          epoch: new.epoch,
          lease: candidate.lease,
          leader: candidate.leader
        )
        lease = (term, LeaseRenewal(of: term, in: archive, since: began))
        mark = new.mark
        report.epoch = new.epoch
        return new
      } catch {
        guard isWaiting, case .led(let leader, let rest) = error.reason else { throw error }
        switch try await archive.head().map({ wait.look(at: $0, Scheduling.now) }) {
        case .isRenewed: throw error
        case .isTooLong: throw ArchiveError(wait.reason(leader, rest), archive: archive.name)
        case .runs, nil: break
        }
        try await Scheduling.sleep(for: min(rest + .milliseconds(10), .milliseconds(200)))
      }
    }
  }

  /// Brings the file to where the archive is.
  ///
  /// - Parameter relation: nil if there is no file.
  private mutating func adopt(
    _ head: ArchiveHead,
    _ relation: ArchiveRelation?,
    _ position: Position?
  ) async throws {
    let pull = ArchivePull(from: archive, to: path, on: configuration.disk)
    guard let relation, let position else {
      note(try await pull.run())
      return
    }
    switch relation {
    case .atOrAhead:
      // The archive may have newer data that is in no delta: a follower does not get it.
      if head.mark == HistoryMark(position) { _ = try await pull.catchUp(to: head) }
    case .restarts, .takenBack: isRewritten = true
    case .replaced(position.revision):
      // The archive has all of it. Moved aside, it would keep what was erased.
      note(try await pull.replace(by: head.mark))
    case .behind:
      do {
        let end = try await pull.catchUp(to: head)
        report.pulled = position.revision.next...end.revision
      } catch {
        // The deltas in between were never sent, or were removed.
        guard let missing = error.reason.firstMissing else { throw error }
        let reached = Position(
          storeID: position.storeID,
          lineage: position.lineageID,
          revision: missing.previous,
          chain: position.chain
        )
        try await adopt(head, .replaced(through: nil), reached)
      }
    case .replaced, .diverged:
      // It may have been compared with parts of two histories.
      if try await archive.head(replacing: head.mark) != nil {
        throw ArchiveError(.refused, archive: archive.name)
      }
      try setAside(position, relation, head)
      note(try await pull.run())
    }
  }

  /// Notes that the file has the archive's history from its beginning on.
  private mutating func note(_ pulled: Position) {
    lineage = pulled.lineageID
    report.pulled = Revision(0)...pulled.revision
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
    do {
      let quarantine = try Quarantine.add(
        storeAt: path.file,
        reason: "it was damaged, and the archive \(archive.name) has all of it that is whole",
        now: configuration.now(),
        on: configuration.disk
      )
      report.earlierSetAside = report.allSetAside
      report.setAside = ArchiveReport.SetAside(quarantine)
      note(try await ArchivePull(from: archive, to: path, on: configuration.disk).run())
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Reports what openings have moved aside that then did not succeed.
  private mutating func reportSetAside() throws {
    var sets = try Quarantine.unreported(besideStoreAt: path, on: configuration.disk)
      .map(ArchiveReport.SetAside.init)
    if let setAside = report.setAside {
      sets.removeAll { $0.quarantine.directory == setAside.quarantine.directory }
    } else if !sets.isEmpty {
      report.setAside = sets.removeFirst()
    }
    report.earlierSetAside = sets
  }

  /// Notes that the report was given: what was moved aside is no news to the next opening.
  ///
  /// Returns notes for people: what cannot be written, and times that contradict each other.
  package func noteReported() -> [String] {
    var notes: [String] = []
    if let limit = archive.callLimit, limit >= policy.lease {
      notes.append(
        """
        a call to the archive may take \(limit), and a lease is \(policy.lease): one call without an \
        answer ends the lease; ArchivePolicy.lease must be longer
        """
      )
    }
    if report.setAside == nil { return notes }
    do {
      try Quarantine.noteReported(besideStoreAt: path, on: configuration.disk)
    } catch {
      notes.append("the next opening reports again what was set aside: \(error)")
    }
    return notes
  }

  private mutating func setAside(
    _ position: Position,
    _ relation: ArchiveRelation,
    _ head: ArchiveHead
  ) throws {
    let common: Revision? =
      switch relation {
      case .diverged(let common), .replaced(let common): common
      default: nil
      }
    let lost = common.flatMap { $0 < position.revision ? $0.next...position.revision : nil }
    let detail =
      switch (relation, lost) {
      case _ where position.storeID != head.store: "which has another store, and it has no commits"
      case (.replaced(nil), _): "which no longer has what follows revision \(position.revision)"
      case (_, let lost?) where lost.lowerBound > head.mark.revision:
        "which no longer has the revisions \(lost.lowerBound) to \(lost.upperBound)"
      case (_, let lost?):
        "which has other commits than the revisions \(lost.lowerBound) to \(lost.upperBound)"
      default: "which has other commits"
      }
    let quarantine = try Quarantine.add(
      storeAt: path.file,
      reason: "it did not fit the archive \(archive.name), \(detail)",
      displaced: DisplacedHistory(lost),
      now: configuration.now(),
      on: configuration.disk
    )
    report.setAside = ArchiveReport.SetAside(quarantine)
  }
}

extension PersistenceError.Reason {
  /// The first revision that the archive was asked for and does not have; nil for another reason.
  fileprivate var firstMissing: Revision? {
    if case .trimmed(let revision, _) = self { return revision }
    if case .gap(let gap)? = feature(ArchiveError.self)?.reason { return gap.lowerBound }
    return nil
  }
}
