package import StrataArchiving
import StrataBase
package import StrataJournal

/// An archive with a bug, to see that a checker finds it.
package final class PlantedArchive: Archive {
  package enum Bug: String, CaseIterable, Sendable {
    /// Some segments are acknowledged and not stored.
    case acknowledgesEarly
    /// A reader is not given some segments.
    case skipsSegments
    /// Some chunks of a snapshot are acknowledged and not stored.
    case losesChunks
    /// Chunks come back with another bit.
    case flipsBits
    /// The head is at times an earlier one.
    case answersOldHead
    /// A segment that arrives removes the others.
    case removesTooMuch
  }

  package let name: String
  private let inner: any Archive
  private let bug: Bug
  private let state = Lock((calls: 0, head: ArchiveHead?.none))

  package init(_ inner: any Archive, with bug: Bug) {
    self.inner = inner
    self.bug = bug
    name = inner.name
  }

  /// Whether the bug shows at this call: at each third one.
  private func shows(_ bug: Bug) -> Bool {
    guard bug == self.bug else { return false }
    return state.withLock { state in
      state.calls += 1
      return state.calls % 3 == 0
    }
  }

  package func hints() -> AsyncStream<Void>? { inner.hints() }

  package func head() async throws(ArchiveError) -> ArchiveHead? {
    let head = try await inner.head()
    let former = state.withLock { state in
      defer { if state.head?.mark != head?.mark { state.head = head } }
      return state.head
    }
    return shows(.answersOldHead) ? former ?? head : head
  }

  package func lead(_ candidate: ArchiveCandidate) async throws(ArchiveError) -> ArchiveHead {
    try await inner.lead(candidate)
  }

  package func renew(_ term: ArchiveTerm) async throws(ArchiveError) { try await inner.renew(term) }

  package func release(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await inner.release(term)
  }

  package func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    if shows(.acknowledgesEarly) { return }
    try await inner.append(segment, catalog: catalog, in: term)
    if bug == .removesTooMuch {
      try await inner.remove(segmentsThrough: segment.start.revision, snapshots: [])
    }
  }

  package func segments(
    after revision: Revision,
    bytes: Int
  ) async throws(ArchiveError) -> [ArchiveSegment] {
    let segments = try await inner.segments(after: revision, bytes: bytes)
    return shows(.skipsSegments) ? Array(segments.dropFirst()) : segments
  }

  package func gaps() async throws(ArchiveError) -> [ClosedRange<Revision>] {
    try await inner.gaps()
  }

  package func catalog() async throws(ArchiveError) -> [UInt8] { try await inner.catalog() }

  package func snapshots() async throws(ArchiveError) -> [ArchiveSnapshot] {
    try await inner.snapshots()
  }

  package func list(of snapshot: Revision) async throws(ArchiveError) -> ArchiveSnapshot.List {
    try await inner.list(of: snapshot)
  }

  package func missing(
    _ chunks: [ArchiveChunk.ID]
  ) async throws(ArchiveError) -> [ArchiveChunk.ID] {
    if bug == .losesChunks { return [] }
    return try await inner.missing(chunks)
  }

  package func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) async throws(ArchiveError) {
    try await inner.add(chunks, in: term)
  }

  package func chunks(_ ids: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk] {
    let chunks = try await inner.chunks(ids)
    guard bug == .flipsBits, let first = chunks.first, !first.body.isEmpty else { return chunks }
    var body = first.body
    body[body.count / 2] ^= 1
    return [ArchiveChunk(id: first.id, body: body)] + chunks.dropFirst()
  }

  package func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await inner.add(snapshot, list, catalog: catalog, in: term)
  }

  package func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await inner.restart(from: snapshot, list, segments, catalog: catalog, in: term)
  }

  package func bytes() async throws(ArchiveError) -> Int64 { try await inner.bytes() }

  package func removeStore(in term: ArchiveTerm) async throws(ArchiveError) {
    try await inner.removeStore(in: term)
  }

  package func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) async throws(ArchiveError) {
    try await inner.remove(segmentsThrough: revision, snapshots: snapshots)
  }
}
