import Foundation
import StrataBase
package import StrataJournal
package import StrataStorage

/// Brings a file to where an archive is, before it is opened: for its leader, and for a follower.
package struct ArchiveAdoption: Sendable {
  let archive: any Archive
  let policy: ArchivePolicy
  let path: StorePath
  let configuration: PersistenceConfiguration
  /// The lineage of the file; nil if there is none yet.
  var lineage: Lineage.ID?
  package var report = ArchiveReport()

  init(
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

  /// Brings the file to where the archive is, without leading.
  ///
  /// Throws like `ArchiveOpening`, except `.led`; also `.archive` with `.empty`, and with `.lacksErasures` until a leader has
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

  /// The name under which this process leads.
  var leader: String { policy.leader(at: path) }

  var inspector: FileInspector { FileInspector(path, on: configuration.disk) }

  /// Whether there is a file, once moves that a crash interrupted are completed.
  func fileExists() throws -> Bool {
    try Quarantine.completeMoves(of: path, now: configuration.now(), on: configuration.disk)
    return try path.fileStatus(.opening) != .missing
  }

  /// Whether there is a file.
  ///
  /// - Throws: `.alreadyOpen` if a writer has it open.
  func isFree() async throws -> Bool {
    guard try fileExists() else { return false }
    if try await inspector.hasWriter() {
      throw PersistenceError.Reason.alreadyOpen(by: LockFile.owner(at: path.lock))
    }
    return true
  }
}

/// Following.
extension ArchiveAdoption {
  private mutating func follow() async throws {
    let exists = try await isFree()
    do {
      guard var head = try await archive.head() else {
        throw ArchiveError(.empty, archive: archive.name)
      }
      while let newer = try await take(head) { head = newer }
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
  private mutating func take(_ head: ArchiveHead) async throws -> ArchiveHead? {
    let file = inspector
    do {
      let position = try fileExists() ? try await file.read(\.position) : nil
      let relation = try await followedRelation(of: file, position, head)
      await file.close()
      try await adopt(head, relation, position)
      return nil
    } catch {
      await file.close()
      let known = PersistenceError(.opening, path: path.file, wrapping: error)
      if let refusal = known.archive, case .away = refusal.reason { throw error }
      guard let newer = try await archive.head(replacing: head.mark) else { throw error }
      return newer
    }
  }

  /// How a follower's file relates to the archive.
  private func followedRelation(
    of file: FileInspector,
    _ position: Position?,
    _ head: ArchiveHead
  ) async throws -> ArchiveRelation {
    guard let position else { return .behind }
    let relation = try await relation(of: file, position, head, for: .following)
    let comparison = comparison(of: file, head)
    if case .takenBack = relation { throw try await comparison.takenBack() }
    try await refuseMissingErasures(comparison)
    switch relation {
    case .restarts: return .diverged(after: nil)
    // The archive has lost the end of the file, and a follower must not add it again.
    case .atOrAhead where position.revision > head.mark.revision:
      return .diverged(after: head.mark.revision)
    case .atOrAhead, .behind, .replaced, .diverged, .takenBack: return relation
    }
  }
}

/// Comparing.
extension ArchiveAdoption {
  func comparison(
    of file: FileInspector,
    _ head: ArchiveHead,
    for purpose: ArchiveComparison.Purpose = .leading
  ) -> ArchiveComparison {
    ArchiveComparison(archive, head, leader, file, for: purpose)
  }

  /// How the file relates to the archive.
  ///
  /// - Parameter mayAdopt: Whether the file may get the archive's history, so that it may be another store without commits.
  /// - Throws: `.refused` if the archive has started again, or went back, meanwhile; `.otherStore`, `.lacksErasures`.
  func relation(
    of file: FileInspector,
    _ position: Position,
    _ head: ArchiveHead,
    mayAdopt: Bool = true,
    for purpose: ArchiveComparison.Purpose = .leading
  ) async throws -> ArchiveRelation {
    if position.storeID != head.store {
      // Two machines that started together have each made a store; the one without commits takes the other's.
      if position.revision == 0, mayAdopt { return .diverged(after: nil) }
      throw ArchiveError(.otherStore(head.store), archive: archive.name)
    }
    let comparison = comparison(of: file, head, for: purpose)
    let relation = try await comparison.relation()
    switch relation {
    case .atOrAhead: return relation
    case .behind: break
    case .replaced, .restarts, .diverged, .takenBack:
      // The catalog may be of a history that has started since.
      if try await archive.head(replacing: head.mark) != nil {
        throw ArchiveError(.refused, archive: archive.name)
      }
    }
    switch relation {
    case .behind, .replaced, .diverged: try await refuseMissingErasures(comparison)
    case .atOrAhead, .restarts, .takenBack: break
    }
    return relation
  }

  /// Throws if the archive's history has entities that were erased from the file: taking it would bring them back.
  private func refuseMissingErasures(_ comparison: ArchiveComparison) async throws {
    let count = try await comparison.missingErasures()
    if count > 0 { throw ArchiveError(.lacksErasures(count), archive: archive.name) }
  }

  /// Throws if the archive is damaged where it is to be continued.
  func verifyEnd(at head: ArchiveHead) async throws { try await pull.verifyEnd(at: head) }
}

/// Adopting.
extension ArchiveAdoption {
  private var pull: ArchivePull { ArchivePull(from: archive, to: path, on: configuration.disk) }

  /// Gives the file the history of the archive.
  ///
  /// - Parameter position: Where the file ends; nil if there is none.
  mutating func adopt(
    _ head: ArchiveHead,
    _ relation: ArchiveRelation,
    _ position: Position?
  ) async throws {
    guard let position else { return note(try await pull.run()) }
    switch relation {
    case .atOrAhead:
      // The archive may have newer data that is in no delta: a follower does not get it.
      if head.mark == HistoryMark(position) { _ = try await pull.catchUp(to: head) }
    case .restarts, .takenBack: break
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

  /// Pulls the archive's history in place of a file that was damaged, and of which nothing is left that the archive lacks.
  mutating func replaceDamagedFile() async throws(PersistenceError) {
    do {
      let quarantine = try Quarantine.add(
        storeAt: path.file,
        reason: "it was damaged, and the archive \(archive.name) has all of it that is whole",
        now: configuration.now(),
        on: configuration.disk
      )
      report.earlierSetAside = report.allSetAside
      report.setAside = ArchiveReport.SetAside(quarantine)
      note(try await pull.run())
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  /// Notes that the file has the archive's history from its beginning on.
  private mutating func note(_ pulled: Position) {
    lineage = pulled.lineageID
    report.pulled = Revision(0)...pulled.revision
  }
}

/// Reporting.
extension ArchiveAdoption {
  /// Reports what openings have moved aside that then did not succeed.
  mutating func reportSetAside() throws {
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
