package import StrataArchiving
import StrataBase
package import StrataJournal

/// An archive between a program and a real one, at which calls fail.
package final class FaultyArchive: Archive {
  /// How a call fails.
  package enum Fault: Sendable {
    /// It does not arrive.
    case lost
    /// It takes effect, and the answer does not arrive.
    case unanswered
    /// It does not return until the archive works again, cancelled or not.
    case hanging
    /// It waits until it is to work again, as in a process that is stopped.
    case paused
    /// The caller gets no answer, and it takes effect later: with ``deliver()``.
    case late
    /// It is refused without a reason.
    case refused
  }

  package let name: String
  package let callLimit: Duration?
  private let inner: any Archive
  private let plan: Lock<Plan>
  /// How many calls the archive is answering, and whether further ones wait.
  private let gate = Lock((calls: 0, isClosed: false))
  /// The calls that are on the way.
  private let late = Lock<[@Sendable () async -> Void]>([])

  private let hinting: Lock<Hinting>

  private struct Plan: Sendable {
    var fault: @Sendable (_ call: String) -> Fault?
  }

  private struct Hinting: Sendable {
    var hints: @Sendable () -> AsyncStream<Void>?
  }

  package init(_ inner: any Archive, callLimit: Duration? = nil) {
    self.inner = inner
    self.callLimit = callLimit
    name = inner.name
    plan = Lock(Plan { _ in nil })
    hinting = Lock(Hinting { inner.hints() })
  }

  /// Says how calls fail from now on, by their names, such as `head` and `append`.
  package func fail(_ plan: @escaping @Sendable (_ call: String) -> Fault?) {
    self.plan.withLock { $0.fault = plan }
  }

  /// No call fails any more.
  package func work() { fail { _ in nil } }

  /// Lets further calls wait, and returns once the archive answers none.
  package func pause() async {
    gate.withLock { $0.isClosed = true }
    while gate.withLock({ $0.calls }) > 0 { await Self.pauseShortly() }
  }

  /// Lets calls through again.
  package func resume() { gate.withLock { $0.isClosed = false } }

  private static func pauseShortly() async {
    // Also in a task that is cancelled, whose sleep would return at once.
    await Task { try? await Scheduling.sleep(for: .milliseconds(1)) }.value
  }

  private func pass<R: Sendable>(
    _ body: () async throws(ArchiveError) -> R
  ) async throws(ArchiveError) -> R {
    while true {
      let isOpen = gate.withLock { gate in
        if !gate.isClosed { gate.calls += 1 }
        return !gate.isClosed
      }
      if isOpen { break }
      await Self.pauseShortly()
    }
    defer { gate.withLock { $0.calls -= 1 } }
    return try await body()
  }

  /// Lets the calls that are on the way take effect, in their order.
  package func deliver() async {
    let calls = late.withLock { calls in
      defer { calls = [] }
      return calls
    }
    for call in calls { await call() }
  }

  private func perform<R: Sendable>(
    _ call: String,
    _ body: @escaping @Sendable () async throws(ArchiveError) -> R
  ) async throws(ArchiveError) -> R {
    var fault = plan.withLock { $0.fault }(call)
    while fault == .paused, !Task.isCancelled {
      await Self.pauseShortly()
      fault = plan.withLock { $0.fault }(call)
    }
    switch fault {
    case nil: return try await pass(body)
    case .lost, .paused: break
    case .unanswered: _ = try await pass(body)
    case .late:
      late.withLock { calls in
        calls.append { do throws(ArchiveError) { _ = try await body() } catch _ {} }
      }
    case .refused: throw ArchiveError(.refused, archive: name)
    case .hanging:
      while plan.withLock({ $0.fault })(call) == .hanging { await Self.pauseShortly() }
    }
    throw ArchiveError(.away("a fault of the test at \(call)"), archive: name)
  }

  /// Gives these hints from now on, instead of the other archive's.
  package func hint(_ hints: @escaping @Sendable () -> AsyncStream<Void>?) {
    hinting.withLock { $0.hints = hints }
  }

  package func hints() -> AsyncStream<Void>? { hinting.withLock { $0.hints }() }

  package func head() async throws(ArchiveError) -> ArchiveHead? {
    try await perform("head") { [inner] () async throws(ArchiveError) in try await inner.head() }
  }

  package func checkMayStart() async throws(ArchiveError) { try await inner.checkMayStart() }

  package func lead(_ candidate: ArchiveCandidate) async throws(ArchiveError) -> ArchiveHead {
    try await perform("lead") { [inner] () async throws(ArchiveError) in
      try await inner.lead(candidate)
    }
  }

  package func renew(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("renew") { [inner] () async throws(ArchiveError) in
      try await inner.renew(term)
    }
  }

  package func release(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("release") { [inner] () async throws(ArchiveError) in
      try await inner.release(term)
    }
  }

  package func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("append") { [inner] () async throws(ArchiveError) in
      try await inner.append(segment, catalog: catalog, in: term)
    }
  }

  package func segments(
    after revision: Revision,
    bytes: Int
  ) async throws(ArchiveError) -> [ArchiveSegment] {
    try await perform("segments") { [inner] () async throws(ArchiveError) in
      try await inner.segments(after: revision, bytes: bytes)
    }
  }

  package func gaps() async throws(ArchiveError) -> [ClosedRange<Revision>] {
    try await perform("gaps") { [inner] () async throws(ArchiveError) in try await inner.gaps() }
  }

  package func catalog() async throws(ArchiveError) -> [UInt8] {
    try await perform("catalog") { [inner] () async throws(ArchiveError) in
      try await inner.catalog()
    }
  }

  package func snapshots() async throws(ArchiveError) -> [ArchiveSnapshot] {
    try await perform("snapshots") { [inner] () async throws(ArchiveError) in
      try await inner.snapshots()
    }
  }

  package func list(of snapshot: Revision) async throws(ArchiveError) -> ArchiveSnapshot.List {
    try await perform("list") { [inner] () async throws(ArchiveError) in
      try await inner.list(of: snapshot)
    }
  }

  package func missing(
    _ chunks: [ArchiveChunk.ID]
  ) async throws(ArchiveError) -> [ArchiveChunk.ID] {
    try await perform("missing") { [inner] () async throws(ArchiveError) in
      try await inner.missing(chunks)
    }
  }

  package func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("add chunks") { [inner] () async throws(ArchiveError) in
      try await inner.add(chunks, in: term)
    }
  }

  package func chunks(_ ids: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk] {
    try await perform("chunks") { [inner] () async throws(ArchiveError) in
      try await inner.chunks(ids)
    }
  }

  package func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("add snapshot") { [inner] () async throws(ArchiveError) in
      try await inner.add(snapshot, list, catalog: catalog, in: term)
    }
  }

  package func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await perform("restart") { [inner] () async throws(ArchiveError) in
      try await inner.restart(from: snapshot, list, segments, catalog: catalog, in: term)
    }
  }

  package func bytes() async throws(ArchiveError) -> Int64 {
    try await perform("bytes") { [inner] () async throws(ArchiveError) in try await inner.bytes() }
  }

  package func removeStore(in term: ArchiveTerm) async throws(ArchiveError) {
    try await perform("remove store") { [inner] () async throws(ArchiveError) in
      try await inner.removeStore(in: term)
    }
  }

  package func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) async throws(ArchiveError) {
    try await perform("remove") { [inner] () async throws(ArchiveError) in
      try await inner.remove(segmentsThrough: revision, snapshots: snapshots)
    }
  }
}
