import Foundation
import StrataBase
package import StrataJournal
import StrataSchema
import StrataStorage

/// How the history of a file relates to that of an archive.
package enum ArchiveRelation: Sendable, Equatable {
  /// The archive ends where the file ends, or before; the file continues it.
  case atOrAhead
  /// The file ends before the archive, and the archive continues it.
  case behind
  /// The file ends before the archive, which no longer has what follows the file's end.
  case farBehind
  /// The two have different commits; nil if it is not known where they start to differ.
  case diverged(after: Revision?)
  /// The archive still has entities that were erased from the file. Otherwise both have the same commits.
  case rewritten
  /// The file still has entities that were erased from the archive. Otherwise both have the same commits; the file may have
  /// more at its end.
  case superseded
  /// The file was taken back on purpose, and the archive has another history.
  case cut
}

extension ArchiveRelation {
  /// A file compared with an archive.
  package struct Finding: Sendable {
    /// Where the file ends.
    package let revision: Revision
    package let relation: ArchiveRelation
    /// The number of entities that were erased from the file, and that the archive knows no erasure of.
    package let missingErasures: Int
  }

  /// Compares a file, which a program may have open, with an archive.
  ///
  /// Reads the catalog of the archive and one segment, unless the two differ: then everything in the archive, to find where.
  ///
  /// Throws `.archive` with `.otherStore` and what reading the archive throws; and reasons of the file.
  package static func find(
    of path: StorePath,
    to archive: any Archive,
    _ head: ArchiveHead
  ) async throws(PersistenceError) -> Finding {
    do {
      let file = FileInspector(path, on: .system)
      let position = try await file.read(\.position)
      guard position.storeID == head.store else {
        throw ArchiveError(.otherStore(head.store), archive: archive.name)
      }
      let leader = ArchivePolicy().leader(at: path)
      let comparison = ArchiveComparison(archive, head, leader, file)
      return Finding(
        revision: position.revision,
        relation: try await comparison.relation(),
        missingErasures: try await comparison.missingErasures()
      )
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }
}

/// Compares a file with an archive.
///
/// It compares chains: equal chains mean equal histories.
struct ArchiveComparison {
  let archive: any Archive
  /// How far the archive is, with its last leader.
  let head: ArchiveHead
  /// The name under which the process of this file leads.
  let leader: String
  let file: any ComparedFile

  init(_ archive: any Archive, _ head: ArchiveHead, _ leader: String, _ file: any ComparedFile) {
    self.archive = archive
    self.head = head
    self.leader = leader
    self.file = file
  }

  /// How the file relates to the archive.
  ///
  /// Reads the catalog and one segment, unless the two differ: then everything in the archive, to find where.
  func relation() async throws -> ArchiveRelation {
    let (erased, archived) = (try await file.erasures(), try await archive.currentErasures())
    let lacksErasures = Set(erased).isStrictSuperset(of: archived)
    let isMissing = ErasureLedger.count(of: erased, notIn: archived) > 0
    let returns = ErasureLedger.isMore(archived, than: erased)
    let relation = try await relationOfCommits(lacksErasures)
    switch relation {
    // What was erased may be in the snapshots alone: then the two have the same commits.
    case .atOrAhead where lacksErasures: return .rewritten
    // If entities were erased from each that the other has, neither history can take the place of the other.
    case .atOrAhead where returns, .behind where returns:
      return isMissing ? .diverged(after: nil) : .superseded
    case .diverged where returns && !isMissing:
      return try await archiveHasCommitOfEnd() ? .superseded : relation
    case .atOrAhead, .behind, .farBehind, .diverged, .rewritten, .superseded, .cut: return relation
    }
  }

  /// The number of entities that were erased from the file, and that the archive knows no erasure of.
  ///
  /// It went back to before the erasure, or that was never sent.
  func missingErasures() async throws -> Int {
    let erased = try await file.erasures()
    if erased.isEmpty { return 0 }
    return ErasureLedger.count(of: erased, notIn: try await archive.currentErasures())
  }

  /// The number of entities that were erased from the archive, and that the file knows no erasure of.
  func returningErasures() async throws -> Int {
    ErasureLedger.count(of: try await archive.currentErasures(), notIn: try await file.erasures())
  }

  /// A commit, apart from what was erased from it.
  ///
  /// Erasing changes neither the time of a commit nor the opening that made it, and no opening makes two commits of one
  /// revision.
  private struct Commit: Equatable {
    let time: Int64
    let origin: UUID?
  }

  /// The commit of the file at a revision; nil if it has no delta that ends there.
  private func commit(at revision: Revision) async throws -> Commit? {
    try await file.read { view -> Commit? in
      guard let header = try view.journal.headers(after: revision.previous, limit: 1).first?.header,
        header.revision == revision
      else { return nil }
      let origin = try StoreIdentity.origin(header.origin, in: view.journal.connection)
      return Commit(time: header.time, origin: origin?.id)
    }
  }

  /// The commit of the archive at a revision; nil if it has no delta that ends there.
  private func archivedCommit(at revision: Revision) async throws -> Commit? {
    let segment = try await archive.segments(after: revision.previous, bytes: 1).first
    let frame = try segment?.frames().first { $0.header.revision == revision }
    return frame.map { Commit(time: $0.header.time, origin: $0.origin.id) }
  }

  /// Whether the file has the commit that the archive ends with; false too if one of them does not have it any more.
  ///
  /// Of an archive that ends with a snapshot only the time is known.
  private func hasCommitOfHead() async throws -> Bool {
    guard let own = try await commit(at: head.mark.revision) else { return false }
    if let archived = try await archivedCommit(at: head.mark.revision) { return archived == own }
    let snapshot = try await archive.snapshots().last { $0.mark == head.mark }
    return snapshot.map { $0.time.nearestMicrosecond == own.time } ?? false
  }

  /// Whether the archive has the commit that the file ends with.
  private func archiveHasCommitOfEnd() async throws -> Bool {
    let end = try await file.position().revision
    guard end <= head.mark.revision, let own = try await commit(at: end) else { return false }
    return try await archivedCommit(at: end) == own
  }

  /// - Parameter lacksErasures: whether the file has all erasures of the archive, and more.
  private func relationOfCommits(_ lacksErasures: Bool) async throws -> ArchiveRelation {
    let position = try await file.position()
    let end = HistoryMark(position)
    if head.mark == end { return .atOrAhead }
    if head.mark.revision <= position.revision {
      return try await relation(ofLonger: position, lacksErasures)
    }
    if try await file.takenBack() != nil { return .cut }
    // The segment that has what follows the end of the file.
    guard let segment = try await archive.segments(after: end.revision, bytes: 1).first,
      segment.start.revision <= end.revision
    else { return .farBehind }
    if try segment.start == end || segment.ends().contains(end) { return .behind }
    return .diverged(after: try await commonRevision(before: position))
  }

  /// The refusal of a file that was taken back.
  func takenBack() async throws -> ArchiveError {
    let end = try await file.position().revision
    let revision = try await file.takenBack() ?? end
    return ArchiveError(
      .takenBack(to: revision, archive: head.mark.revision),
      archive: archive.name
    )
  }

  private func relation(
    ofLonger position: Position,
    _ lacksErasures: Bool
  ) async throws -> ArchiveRelation {
    let chain = try await file.chain(at: head.mark.revision)
    if chain.map({ HistoryMark(head.mark.revision, $0) }) == head.mark { return .atOrAhead }
    if try await file.takenBack() != nil { return .cut }
    guard chain != nil else {
      // The file no longer has the revision to compare. If this process was the last leader, the archive has
      // its commits only. An archive that went back may give another leader the same epoch.
      let hasLedLast = try await file.leadership() == head.epoch && head.leader == leader
      return hasLedLast ? .atOrAhead : .diverged(after: nil)
    }
    if lacksErasures, try await hasCommitOfHead() { return .rewritten }
    return .diverged(after: try await commonRevision(before: position))
  }

  /// The last revision up to which both have the same commits; nil if it is not known.
  func commonRevision(before position: Position) async throws -> Revision? {
    var common: Revision?
    var after: Revision = 0
    while true {
      let segments = try await archive.segments(after: after, bytes: 4 << 20)
      guard let last = segments.last else { return common }
      for segment in segments {
        for mark in try [segment.start] + segment.ends() {
          guard mark.revision <= position.revision,
            let chain = try await file.chain(at: mark.revision)
          else { continue }
          guard HistoryMark(mark.revision, chain) == mark else { return common }
          common = mark.revision
        }
      }
      after = last.end.revision
      if after >= position.revision { return common }
    }
  }
}

/// The parts of a file that are compared.
protocol ComparedFile: Sendable {
  func read<R: Sendable>(
    _ body: @Sendable (ReadView) throws -> R
  ) async throws(PersistenceError) -> R
}

extension ComparedFile {
  fileprivate func position() async throws -> Position { try await read(\.position) }

  /// The chain at a revision; nil if there is no delta or snapshot that ends there.
  fileprivate func chain(at revision: Revision) async throws -> Checksum? {
    try await read { try $0.chain(at: revision) }
  }

  /// The epoch of its last leadership; 0 if it never led.
  func leadership() async throws -> Int64 {
    try await read { try LeadershipRecord.read($0.journal.connection) }
  }

  /// Where it ended when it was taken back on purpose; nil if it was not.
  fileprivate func takenBack() async throws -> Revision? {
    try await read { try LeadershipRecord.takenBack($0.journal.connection) }
  }

  func erasures() async throws -> [ErasureLedger.Entry] {
    try await read { try ErasureLedger.entries(on: $0.journal.connection) }
  }
}

extension HistoryReader: ComparedFile {}

extension Archive {
  /// The erasures that its catalog lists; none if it has no commits yet.
  func currentErasures() async throws -> [ErasureLedger.Entry] {
    let catalog: ArchiveCatalog
    do throws(ArchiveError) {
      catalog = try await ArchiveCatalog(of: self)
    } catch {
      if case .notFound = error.reason { return [] }
      throw error
    }
    return try catalog.erasures()
  }

  /// The head, if the history does not go through a former end of it any more: it has started again, or went back.
  ///
  /// Calls that were made meanwhile may have read parts of two histories. Reads one segment at most.
  func head(replacing former: HistoryMark) async throws -> ArchiveHead? {
    guard let head = try await head() else { throw ArchiveError(.empty, archive: name) }
    if head.mark == former { return nil }
    if head.mark.revision <= former.revision { return head }
    let segment = try await segments(after: former.revision.previous, bytes: 1).first
    guard let segment, try segment.start == former || segment.ends().contains(former) else {
      return head
    }
    return nil
  }
}

extension ArchiveSegment {
  /// The ends of its deltas.
  fileprivate func ends() throws -> [HistoryMark] {
    try frames().map { HistoryMark($0.header.revision, $0.chain) }
  }
}
