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
  /// The archive's history takes the place of the file's: it began from it, or no longer has what follows the file's end.
  ///
  /// The archive has the file's commits through a revision; nil if it is not known.
  case replaced(through: Revision?)
  /// The file's history takes the place of the archive's: it began from it, and has its commits.
  case restarts
  /// The file was taken back on purpose, and the archive has commits that it lacks.
  ///
  /// Both have the commits through a revision; nil if it is not known.
  case takenBack(through: Revision?)
  /// The two have different commits; nil if it is not known where they start to differ.
  case diverged(after: Revision?)
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

/// Compares a file with an archive: their lists of lineages, and the chains where the shorter one ends.
struct ArchiveComparison {
  /// What the file is compared for.
  enum Purpose {
    case leading, following
  }

  let archive: any Archive
  /// How far the archive is, with its last leader.
  let head: ArchiveHead
  /// The name under which the process of this file leads.
  let leader: String
  let file: any ComparedFile
  let purpose: Purpose

  init(
    _ archive: any Archive,
    _ head: ArchiveHead,
    _ leader: String,
    _ file: any ComparedFile,
    for purpose: Purpose = .leading
  ) {
    self.archive = archive
    self.head = head
    self.leader = leader
    self.file = file
    self.purpose = purpose
  }

  /// How the file relates to the archive.
  ///
  /// Reads the catalog and one segment, unless the two differ: then everything in the archive, to find where.
  func relation() async throws -> ArchiveRelation {
    let (position, mine) = try await file.read { ($0.position, $0.identity.lineages) }
    guard let catalog = try await archive.currentCatalog() else {
      return try await relationToStart(position)
    }
    let theirs = try catalog.lineages()
    switch mine.relation(to: theirs) {
    case .same: return try await relation(inOneLineage: position)
    case .ancestor(let next, let kept):
      return try await relation(of: position, toLater: next, through: kept)
    case .descendant(let next, let kept):
      let isOnPurpose = try await isTakenBack(mine, unlike: theirs)
      return try await relation(of: position, from: next, through: kept, isOnPurpose)
    case .apart:
      let common = try await commonRevision(before: position)
      let isOnPurpose = try await isTakenBack(mine, unlike: theirs)
      return purpose == .leading && isOnPurpose
        ? .takenBack(through: common) : .diverged(after: common)
    }
  }

  /// An archive that has got nothing yet may start as the file is now.
  private func relationToStart(_ position: Position) async throws -> ArchiveRelation {
    let relation = try await relation(inOneLineage: position)
    guard relation != .atOrAhead, try await archive.snapshots().isEmpty,
      try await archive.segments(after: 0, bytes: 1).isEmpty
    else { return relation }
    return .restarts
  }

  private func relation(inOneLineage position: Position) async throws -> ArchiveRelation {
    let end = HistoryMark(position)
    if head.mark == end { return .atOrAhead }
    if head.mark.revision <= end.revision {
      // If the file no longer has the revision to compare, and this process was the last leader, the archive has its
      // commits only. An archive that went back may give another leader the same epoch.
      guard let isShared = try await has(head.mark) else {
        return try await hasLedLast() ? .atOrAhead : .diverged(after: nil)
      }
      if isShared { return .atOrAhead }
    } else {
      guard let isShared = try await archiveHas(end) else { return .replaced(through: nil) }
      if isShared { return .behind }
    }
    return .diverged(after: try await commonRevision(before: position, inOneLineage: true))
  }

  /// The archive is in a lineage that began from that of the file.
  ///
  /// - Parameters:
  ///   - next: The first lineage that the file has not been in.
  ///   - kept: The last revision of which the archive has the commits of the file's lineage.
  private func relation(
    of position: Position,
    toLater next: Lineage,
    through kept: Revision
  ) async throws -> ArchiveRelation {
    guard let parent = next.parent else { return .diverged(after: nil) }
    // Nil if the file has trimmed the commits there: those after it say whether it has been elsewhere since.
    let isShared =
      if position.revision >= parent.revision {
        try await has(HistoryMark(parent))
      } else if position.revision <= kept {
        try await archiveHasCommit(ofEnd: position)
      } else {
        // The archive was taken back to before the end of the file: what it has there now is of a later lineage.
        try await shares(kept)
      }
    switch isShared {
    case true?: return .replaced(through: min(kept, position.revision))
    case nil: return .replaced(through: try await commonRevision(before: position))
    case false?: return .diverged(after: try await commonRevision(before: position))
    }
  }

  /// The file is in a lineage that began from that of the archive.
  ///
  /// - Parameters:
  ///   - next: The first lineage that the archive has not been in.
  ///   - kept: The last revision of which the file has the commits of the archive's lineage.
  private func relation(
    of position: Position,
    from next: Lineage,
    through kept: Revision,
    _ isOnPurpose: Bool
  ) async throws -> ArchiveRelation {
    guard let parent = next.parent else { return .diverged(after: nil) }
    // Nil if the archive has trimmed the commits there.
    let isShared =
      if head.mark.revision >= parent.revision {
        try await archiveHas(HistoryMark(parent))
      } else {
        try await hasCommitOfHead()
      }
    if isShared ?? false, head.mark.revision <= kept { return .restarts }
    let common =
      isShared ?? false
      ? min(kept, position.revision) : try await commonRevision(before: position)
    if isOnPurpose { return .takenBack(through: common) }
    // It has no commits of its own.
    if isShared ?? true, position.revision <= kept { return .replaced(through: common) }
    return .diverged(after: common)
  }

  /// The number of entities that were erased from the file, and that the archive knows no erasure of.
  ///
  /// It went back to before the erasure, or that was never sent.
  func missingErasures() async throws -> Int {
    let erased = try await file.erasures()
    if erased.isEmpty { return 0 }
    return ErasureLedger.count(of: erased, notIn: try await archivedErasures())
  }

  /// The number of entities that were erased from the archive, and that the file knows no erasure of.
  func returningErasures() async throws -> Int {
    ErasureLedger.count(of: try await archivedErasures(), notIn: try await file.erasures())
  }

  private func archivedErasures() async throws -> [ErasureLedger.Entry] {
    try await archive.currentCatalog()?.erasures() ?? []
  }

  /// Whether nothing but a salvage happened to the file since it had the history of the archive.
  ///
  /// It may lack entities that the archive has.
  func isSalvaged() async throws -> Bool {
    let known = Set(try await archive.currentCatalog()?.lineages().map(\.id) ?? [])
    let new = try await file.read { $0.identity.lineages.filter { !known.contains($0.id) } }
    return !new.isEmpty && new.allSatisfy { $0.reason == .salvaged }
  }

  /// The refusal of a file that was taken back.
  func takenBack() async throws -> ArchiveError {
    let (end, branches) = try await file.read { view in
      (view.last.revision, view.identity.lineages.filter(\.isOnPurpose).compactMap(\.branch))
    }
    return ArchiveError(
      .takenBack(to: branches.last ?? end, archive: head.mark.revision),
      archive: archive.name
    )
  }
}

/// What the chains say.
extension ArchiveComparison {
  /// A commit, apart from what was erased from it.
  ///
  /// Erasing changes neither the time of a commit nor the opening that made it, and no opening makes two commits of one
  /// revision.
  private struct Commit: Equatable {
    let time: Int64
    let origin: UUID?

    init(time: Int64, origin: UUID?) { (self.time, self.origin) = (time, origin) }

    init(_ frame: DeltaFrame) { self.init(time: frame.header.time, origin: frame.origin.id) }
  }

  /// Whether the file has a mark; nil if there is no delta or snapshot of it that ends there.
  private func has(_ mark: HistoryMark) async throws -> Bool? {
    try await file.chain(at: mark.revision).map { HistoryMark(mark.revision, $0) == mark }
  }

  /// Whether the archive has a mark; nil if it no longer has what is there.
  private func archiveHas(_ mark: HistoryMark) async throws -> Bool? {
    if head.mark.revision == mark.revision { return head.mark == mark }
    // The segment that has what follows it.
    guard let segment = try await archive.segments(after: mark.revision, bytes: 1).first,
      segment.start.revision <= mark.revision
    else { return nil }
    return try segment.start == mark || segment.ends().contains(mark)
  }

  /// Whether this file led the archive last.
  ///
  /// If it did, the archive has commits of this file only.
  private func hasLedLast() async throws -> Bool {
    try await file.leadership() == head.epoch && head.leader == leader
  }

  /// Whether the file was taken back on purpose to where a lineage began that another list lacks.
  ///
  /// The lineages of a file that got the history of an archive are those of the archive, which its last leader took back.
  private func isTakenBack(_ lineages: [Lineage], unlike others: [Lineage]) async throws -> Bool {
    let known = Set(others.map(\.id))
    guard lineages.contains(where: { $0.isOnPurpose && !known.contains($0.id) }) else {
      return false
    }
    return try await file.isTakenBack()
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
    return frame.map(Commit.init)
  }

  /// Whether the file has the commit that the archive ends with; if it does not have it any more, whether it led last.
  ///
  /// Of an archive that ends with a snapshot only the time is known.
  private func hasCommitOfHead() async throws -> Bool {
    if try await has(head.mark) == true { return true }
    guard let own = try await commit(at: head.mark.revision) else { return try await hasLedLast() }
    if let archived = try await archivedCommit(at: head.mark.revision) { return archived == own }
    let snapshot = try await archive.snapshots().last { $0.mark == head.mark }
    return snapshot.map { $0.time.nearestMicrosecond == own.time } ?? false
  }

  /// Whether the archive has the commit that the file ends with; nil if one of them does not have it any more.
  private func archiveHasCommit(ofEnd position: Position) async throws -> Bool? {
    if try await archiveHas(HistoryMark(position)) == true { return true }
    return try await shares(position.revision)
  }

  /// Whether both have the same commit at a revision; nil if one of them has none that ends there.
  private func shares(_ revision: Revision) async throws -> Bool? {
    if revision == 0 { return true }
    guard let own = try await commit(at: revision),
      let archived = try await archivedCommit(at: revision)
    else { return nil }
    return archived == own
  }

  /// The last revision up to which both have the same commits; nil if it is not known.
  ///
  /// Reads everything in the archive up to where the two differ.
  ///
  /// - Parameter inOneLineage: Whether both are in one lineage, in which a commit has one chain.
  func commonRevision(
    before position: Position,
    inOneLineage: Bool = false
  ) async throws -> Revision? {
    if head.mark.revision <= position.revision {
      let hasEnd = inOneLineage ? try await has(head.mark) == true : try await hasCommitOfHead()
      if hasEnd { return head.mark.revision }
    }
    var common: Revision?
    var after: Revision = 0
    while true {
      let segments = try await archive.segments(after: after, bytes: 4 << 20)
      guard let last = segments.last else { return common }
      for segment in segments {
        if segment.start.revision <= position.revision, try await has(segment.start) == true {
          common = segment.start.revision
        }
        for frame in try segment.frames() where frame.header.revision <= position.revision {
          guard let isShared = try await hasCommit(of: frame) else { continue }
          if !isShared { return common }
          common = frame.header.revision
        }
      }
      after = last.end.revision
      if after >= position.revision { return common }
    }
  }

  /// Whether the file has the commit of a frame; nil if it does not have it any more.
  private func hasCommit(of frame: DeltaFrame) async throws -> Bool? {
    if try await has(HistoryMark(frame.header.revision, frame.chain)) == true { return true }
    return try await commit(at: frame.header.revision).map { $0 == Commit(frame) }
  }
}

/// The parts of a file that are compared.
protocol ComparedFile: Sendable {
  func read<R: Sendable>(
    _ body: @Sendable (ReadView) throws -> R
  ) async throws(PersistenceError) -> R
}

extension ComparedFile {
  /// The chain at a revision; nil if there is no delta or snapshot that ends there.
  fileprivate func chain(at revision: Revision) async throws -> Checksum? {
    try await read { try $0.chain(at: revision) }
  }

  /// The epoch of its last leadership; 0 if it never led in its lineage.
  func leadership() async throws -> Int64 {
    try await read { try LeadershipRecord.read($0.journal.connection) }
  }

  /// Whether it was taken back on purpose, and has neither led an archive nor had its history since.
  fileprivate func isTakenBack() async throws -> Bool {
    try await read { try LeadershipRecord.isTakenBack($0.journal.connection) }
  }

  func erasures() async throws -> [ErasureLedger.Entry] {
    try await read { try ErasureLedger.entries(on: $0.journal.connection) }
  }
}

extension HistoryReader: ComparedFile {}

extension Archive {
  /// Its catalog; nil if it has no commits yet.
  func currentCatalog() async throws(ArchiveError) -> ArchiveCatalog? {
    do throws(ArchiveError) {
      return try await ArchiveCatalog(of: self)
    } catch {
      if case .notFound = error.reason { return nil }
      throw error
    }
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

extension Lineage {
  /// Whether somebody has taken the history back: no opening may choose between it and what follows elsewhere.
  fileprivate var isOnPurpose: Bool { reason == .restored || reason == .forked }
}

extension HistoryMark {
  fileprivate init(_ mark: HeadRecord.Mark) { self.init(mark.revision, mark.chain) }
}
