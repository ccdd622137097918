import StrataBase
package import StrataStorage

/// An archive between a program and a real one, at which calls fail.
package final class FaultyArchive: Archive {
  /// How a call fails.
  package enum Fault: Sendable {
    /// It does not arrive.
    case lost
    /// It takes effect, and the answer does not arrive.
    case unanswered
    /// It never returns, until the calling task is cancelled.
    case hanging
  }

  package let name: String
  private let inner: any Archive
  private let plan: Lock<@Sendable (_ call: String) -> Fault?>

  package init(_ inner: any Archive) {
    self.inner = inner
    name = inner.name
    plan = Lock { _ in nil }
  }

  /// Says how calls fail from now on, by their names, such as `head` and `append`.
  package func fail(_ plan: @escaping @Sendable (_ call: String) -> Fault?) {
    self.plan.withLock { $0 = plan }
  }

  /// No call fails any more.
  package func work() { fail { _ in nil } }

  private func perform<R: Sendable>(
    _ call: String,
    _ body: () async throws(ArchiveError) -> R
  ) async throws(ArchiveError) -> R {
    let fault = plan.withLock { $0 }(call)
    switch fault {
    case nil: return try await body()
    case .lost: break
    case .unanswered: _ = try await body()
    case .hanging:
      do { try await Task.sleep(for: .seconds(3_600)) } catch _ {}
    }
    throw ArchiveError(.away("a fault of the test at \(call)"), archive: name)
  }

  package func head() async throws(ArchiveError) -> ArchiveHead? {
    try await perform("head") { () async throws(ArchiveError) in try await inner.head() }
  }

  package func lead(_ candidate: ArchiveCandidate) async throws(ArchiveError) -> ArchiveHead {
    try await perform("lead") { () async throws(ArchiveError) in try await inner.lead(candidate) }
  }

  package func renew(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("renew") { () async throws(ArchiveError) in try await inner.renew(term) }
  }

  package func release(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("release") { () async throws(ArchiveError) in try await inner.release(term) }
  }

  package func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("append") { () async throws(ArchiveError) in
      try await inner.append(segment, catalog: catalog, in: term)
    }
  }

  package func segments(
    after revision: Revision,
    bytes: Int
  ) async throws(ArchiveError) -> [ArchiveSegment] {
    try await perform("segments") { () async throws(ArchiveError) in
      try await inner.segments(after: revision, bytes: bytes)
    }
  }

  package func catalog() async throws(ArchiveError) -> [UInt8] {
    try await perform("catalog") { () async throws(ArchiveError) in try await inner.catalog() }
  }

  package func snapshots() async throws(ArchiveError) -> [ArchiveSnapshot] {
    try await perform("snapshots") { () async throws(ArchiveError) in try await inner.snapshots() }
  }

  package func list(of snapshot: Revision) async throws(ArchiveError) -> ArchiveSnapshot.List {
    try await perform("list") { () async throws(ArchiveError) in
      try await inner.list(of: snapshot)
    }
  }

  package func missing(
    _ chunks: [ArchiveChunk.ID]
  ) async throws(ArchiveError) -> [ArchiveChunk.ID] {
    try await perform("missing") { () async throws(ArchiveError) in
      try await inner.missing(chunks)
    }
  }

  package func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("add chunks") { () async throws(ArchiveError) in
      try await inner.add(chunks, in: term)
    }
  }

  package func chunks(_ ids: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk] {
    try await perform("chunks") { () async throws(ArchiveError) in try await inner.chunks(ids) }
  }

  package func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("add snapshot") { () async throws(ArchiveError) in
      try await inner.add(snapshot, list, catalog: catalog, in: term)
    }
  }

  package func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8],
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("restart") { () async throws(ArchiveError) in
      try await inner.restart(from: snapshot, list, catalog: catalog, in: term)
    }
  }

  package func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) async throws(ArchiveError) {
    try await perform("remove") { () async throws(ArchiveError) in
      try await inner.remove(segmentsThrough: revision, snapshots: snapshots)
    }
  }
}
