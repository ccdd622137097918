package import Foundation
package import StrataArchiving
import StrataBase
package import StrataJournal

/// An archive in memory, for tests.
///
/// Without its fence it takes what any leader sends, wherever that begins, as a store without conditions does. Tests use
/// that to see that they notice.
package actor MemoryArchive: Archive {
  /// Whether what a leader sends is compared with the head.
  package enum Fence: Sendable {
    case on
    case off
  }

  /// Everything that it has.
  package struct Contents: Sendable {
    fileprivate var head: ArchiveHead?
    fileprivate var leaseEnd = Date.distantPast
    fileprivate var catalog: [UInt8]?
    fileprivate var segments: [ArchiveSegment] = []
    fileprivate var snapshots: [Revision: Snapshot] = [:]
    fileprivate var chunks: [ArchiveChunk.ID: Chunk] = [:]

    /// Nothing.
    package init() {}

    /// Everything that was sent as bytes.
    package var bodies: [[UInt8]] {
      segments.map(\.body) + chunks.values.map(\.chunk.body)
        + snapshots.values.map(\.list.image) + [catalog ?? []]
    }
  }

  fileprivate struct Chunk: Sendable {
    let chunk: ArchiveChunk
    /// When it was added last.
    let added: Date
  }

  fileprivate struct Snapshot: Sendable {
    let snapshot: ArchiveSnapshot
    let list: ArchiveSnapshot.List
  }

  package nonisolated let name = "in memory"
  /// Replaced as a whole when the archive goes back to an earlier time.
  package var contents = Contents()
  private let fence: Fence
  private let now: @Sendable () -> Date

  package init(fence: Fence = .on, now: @escaping @Sendable () -> Date = { Scheduling.date }) {
    self.fence = fence
    self.now = now
  }

  package func replace(by contents: Contents) { self.contents = contents }

  private func error(_ reason: ArchiveError.Reason) -> ArchiveError {
    ArchiveError(reason, archive: name)
  }

  private func current() -> ArchiveHead? {
    guard var head = contents.head else { return nil }
    // A lease may be as long as a duration can be.
    let rest = min(contents.leaseEnd.timeIntervalSince(now()), 1e12)
    head.lease = max(.zero, .microseconds(Int64(rest * 1_000_000)))
    return head
  }

  /// The head, if the term is that of the last leader.
  private func head(of term: ArchiveTerm) throws(ArchiveError) -> ArchiveHead {
    guard let head = current() else { throw error(.empty) }
    if fence == .on, !term.isTerm(ofEpoch: head.epoch, head.leader) { throw error(.refused) }
    return head
  }

  private func extend(_ term: ArchiveTerm) {
    contents.leaseEnd = now().addingTimeInterval(term.lease / .seconds(1))
  }

  package func head() -> ArchiveHead? { current() }

  package func lead(_ candidate: ArchiveCandidate) throws(ArchiveError) -> ArchiveHead {
    if let flaw = candidate.flaw { throw error(.unusable(flaw)) }
    let before = current()
    if let before {
      if before.store != candidate.store { throw error(.otherStore(before.store)) }
      if before.lease > .zero, before.leader != candidate.leader {
        throw error(.led(by: before.leader, for: before.lease))
      }
    }
    let epoch = max(before?.epoch ?? 0, candidate.epoch)
    if epoch == .max { throw error(.unusable("there is no epoch after \(epoch)")) }
    let head = ArchiveHead(
      store: candidate.store,
      epoch: epoch + 1,
      leader: candidate.leader,
      lease: max(.zero, candidate.lease),
      mark: before?.mark ?? candidate.start
    )
    contents.head = head
    extend(ArchiveTerm(epoch: head.epoch, lease: candidate.lease))
    return head
  }

  package func renew(_ term: ArchiveTerm) throws(ArchiveError) {
    _ = try head(of: term)
    extend(term)
  }

  package func release(_ term: ArchiveTerm) throws(ArchiveError) {
    guard let head = current(), term.isTerm(ofEpoch: head.epoch, head.leader) else { return }
    contents.leaseEnd = .distantPast
  }

  package func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    if let flaw = segment.flaw { throw error(.unusable(flaw)) }
    var head = try head(of: term)
    if fence == .on, head.mark != segment.start || segment.epoch != term.epoch {
      throw error(.refused)
    }
    contents.segments.removeAll { $0.end.revision > segment.start.revision }
    contents.segments.append(segment)
    head.mark = segment.end
    contents.head = head
    if let catalog { contents.catalog = catalog }
    extend(term)
  }

  package func segments(after revision: Revision, bytes: Int) -> [ArchiveSegment] {
    var size = 0
    var found: [ArchiveSegment] = []
    for segment in contents.segments where segment.end.revision > revision {
      if !found.isEmpty, size >= bytes { break }
      size += segment.body.count
      found.append(segment)
    }
    return found
  }

  package func gaps() -> [ClosedRange<Revision>] {
    ArchiveSegment.gaps(
      between: contents.segments.map { $0.start.revision.next...$0.end.revision },
      contents.head?.mark.revision ?? 0,
      snapshots: Set(contents.snapshots.keys)
    )
  }

  package func catalog() throws(ArchiveError) -> [UInt8] {
    if contents.head == nil { throw error(.empty) }
    guard let catalog = contents.catalog else { throw error(.notFound("catalog")) }
    return catalog
  }

  package func snapshots() -> [ArchiveSnapshot] {
    contents.snapshots.sorted { $0.key < $1.key }.map(\.value.snapshot)
  }

  package func list(of snapshot: Revision) throws(ArchiveError) -> ArchiveSnapshot.List {
    guard let found = contents.snapshots[snapshot] else {
      throw error(.notFound("snapshot \(snapshot)"))
    }
    return found.list
  }

  package func missing(_ chunks: [ArchiveChunk.ID]) -> [ArchiveChunk.ID] {
    chunks.filter { contents.chunks[$0] == nil }
  }

  package func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) throws(ArchiveError) {
    _ = try head(of: term)
    for chunk in chunks { contents.chunks[chunk.id] = Chunk(chunk: chunk, added: now()) }
  }

  package func chunks(_ ids: [ArchiveChunk.ID]) throws(ArchiveError) -> [ArchiveChunk] {
    var found: [ArchiveChunk] = []
    for id in ids {
      guard let chunk = contents.chunks[id] else { throw error(.notFound("chunk \(id)")) }
      found.append(chunk.chunk)
    }
    return found
  }

  package func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    if let flaw = snapshot.flaw { throw error(.unusable(flaw)) }
    var head = try head(of: term)
    if snapshot.mark.revision == head.mark.revision, snapshot.mark != head.mark {
      throw error(.refused)
    }
    _ = try chunks(Array(list.chunks.values))
    if snapshot.mark.revision > head.mark.revision { head.mark = snapshot.mark }
    contents.head = head
    contents.snapshots[snapshot.mark.revision] = Snapshot(snapshot: snapshot, list: list)
    if let catalog { contents.catalog = catalog }
    extend(term)
  }

  package func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) throws(ArchiveError) {
    if let flaw = ArchiveSegment.flaw(of: segments, after: snapshot) {
      throw error(.unusable(flaw))
    }
    var head = try head(of: term)
    guard segments.allSatisfy({ $0.epoch == term.epoch }) else { throw error(.refused) }
    _ = try chunks(Array(list.chunks.values))
    head.mark = segments.last?.end ?? snapshot.mark
    contents.head = head
    contents.segments = segments
    contents.snapshots = [
      snapshot.mark.revision: Snapshot(snapshot: snapshot, list: list)
    ]
    let listed = Set(list.chunks.values)
    contents.chunks = contents.chunks.filter { listed.contains($0.key) }
    contents.catalog = catalog
    extend(term)
  }

  package func bytes() -> Int64 {
    contents.bodies.reduce(0) { $0 + Int64($1.count) }
  }

  package func removeStore(in term: ArchiveTerm) throws(ArchiveError) {
    _ = try head(of: term)
    contents = Contents()
  }

  package func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) throws(ArchiveError) {
    if contents.head == nil { throw error(.empty) }
    contents.segments.removeAll { $0.end.revision <= revision }
    for snapshot in snapshots { contents.snapshots[snapshot] = nil }
    let listed = Set(contents.snapshots.values.flatMap(\.list.chunks.values))
    // A leader may be adding the chunks of a snapshot at this moment.
    contents.chunks = contents.chunks.filter { id, chunk in
      listed.contains(id) || now().timeIntervalSince(chunk.added) <= 3_600
    }
  }
}
