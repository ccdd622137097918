package import StrataBase
package import StrataJournal

/// The commits that wait for the writer.
///
/// A pure value; ``WriteQueue`` puts a lock around it.
///
/// While the disk works, each commit waits as a delta of its own. While it does not, waiting deltas are
/// merged repeatedly, so memory is bounded by the entities that changed, however long that lasts.
package struct WriteQueueState: Sendable {
  /// When to call the writer.
  package enum Wake: Equatable, Sendable {
    case notNeeded
    case now
    case afterDelay
  }

  /// Whether the writer takes what waits; the state of the ``JournalWriter`` decides.
  package private(set) var isOpen = true
  /// The last revision given to a commit.
  package private(set) var lastRevision: Revision
  private var times: CommitTimes
  /// Taken by the writer.
  ///
  /// After an error it is unknown whether they are in the file.
  package private(set) var inFlight: [PendingDelta] = []
  package private(set) var pending: [PendingDelta] = []
  package private(set) var pendingEntities = 0
  package private(set) var inFlightEntities = 0
  /// While degraded or suspended: from how many entities on waiting deltas are merged again.
  private var nextMergeAbove = 0
  private var isWriterAwake = false
  /// Whether a delayed call of the writer is scheduled; it serves every commit until then.
  private var isWakeDelayed = false
  /// Why commits are refused: the file is being closed, or is read only, or a companion does not allow them; nil while
  /// they are accepted.
  package private(set) var refusal: PersistenceError.Reason?
  /// Whether they may be accepted again.
  private var isRefusalPassing = false
  /// Until when a companion allows commits, and why they are refused from then on; nil where there is no end.
  private var lease: (end: ContinuousClock.Instant, refusal: PersistenceError.Reason)?
  /// Whether commits wait because the archive is too far behind.
  package var isHeldBack = false

  let capacity: Int
  private let wakesAtOnceFrom: Int

  /// - Parameters:
  ///   - capacity: how many changed entities may wait before committers wait too.
  ///   - wakesAtOnceFrom: from how many waiting commits on the writer is called without a delay.
  package init(
    after revision: Revision = 0,
    time: Int64 = 0,
    capacity: Int,
    wakesAtOnceFrom: Int
  ) {
    lastRevision = revision
    times = CommitTimes(after: time)
    self.capacity = capacity
    self.wakesAtOnceFrom = wakesAtOnceFrom
  }

  /// Continues after the last delta of an opened file.
  mutating func start(after revision: Revision, time: Int64) {
    lastRevision = revision
    times = CommitTimes(after: time)
  }

  /// Whether a committer may continue: there is room, or waiting would be pointless.
  ///
  /// Once commits are refused, the writer may never make room.
  package var hasRoom: Bool {
    if refusal != nil || !isOpen { return true }
    return pendingEntities < capacity && !isHeldBack
  }

  /// Whether commits are accepted.
  package var acceptsCommits: Bool { refusal == nil }

  /// Gives the changes of a commit the next revision and queues them.
  package mutating func add(
    _ changes: any PendingChanges,
    name: String,
    _ place: CommitPlace,
    context: (any PendingContext)? = nil,
    now: Int64,
    _ instant: @autoclosure () -> ContinuousClock.Instant
  ) -> Wake {
    lastRevision = lastRevision.next
    let delta = PendingDelta(
      first: lastRevision,
      revision: lastRevision,
      time: times.next(now, instant()),
      commitName: name,
      place: place,
      changes: changes,
      context: context
    )
    pendingEntities += changes.count
    pending.append(delta)
    if !isOpen, pendingEntities > nextMergeAbove { mergePending() }
    return wake()
  }

  /// Whether the writer must be called.
  ///
  /// Assumes that the caller does what the result says.
  package mutating func wake() -> Wake {
    guard isOpen, !pending.isEmpty else { return .notNeeded }
    if pending.count >= wakesAtOnceFrom || pendingEntities >= capacity {
      // One call is enough; it replaces a delayed one.
      guard pending.count == wakesAtOnceFrom || pendingEntities >= capacity || !isWriterAwake
      else { return .notNeeded }
      isWriterAwake = true
      return .now
    }
    if isWriterAwake || isWakeDelayed { return .notNeeded }
    isWakeDelayed = true
    return .afterDelay
  }

  /// Notes that the delayed call has arrived.
  package mutating func delayedWakeDidArrive() { isWakeDelayed = false }

  /// Takes a group for the writer: whole deltas, at least one if any wait, up to `entities` entities.
  package mutating func take(entities: Int) -> [PendingDelta] {
    isWriterAwake = false
    guard inFlight.isEmpty else { return [] }
    var count = 0
    var taken = 0
    while count < pending.count, count == 0 || taken + pending[count].changes.count <= entities {
      taken += pending[count].changes.count
      count += 1
    }
    inFlight = Array(pending.prefix(count))
    pending.removeFirst(count)
    pendingEntities -= taken
    inFlightEntities = taken
    return inFlight
  }

  /// Notes that the group in flight is in the file.
  package mutating func settle() {
    inFlight = []
    inFlightEntities = 0
  }

  /// Notes that the disk failed: from now on waiting deltas are merged.
  ///
  /// The group in flight stays as it is, because it may or may not be in the file.
  package mutating func degrade() {
    isOpen = false
    mergePending()
  }

  /// Notes that the file was released: commits wait one by one, and are merged only when there are more
  /// than there is room for.
  package mutating func suspend() {
    isOpen = false
    nextMergeAbove = max(capacity, 2 * pendingEntities)
  }

  /// Merges all waiting deltas into one.
  ///
  /// The next merge is due when the number of entities has doubled, so the cost per commit does not grow
  /// with the time the disk is away.
  private mutating func mergePending() {
    pending = PendingDelta.merging(pending[...]).map { [$0] } ?? []
    pendingEntities = pending.first?.changes.count ?? 0
    nextMergeAbove = max(2 * pendingEntities, 1_000)
  }

  /// Notes that the disk works again and has everything up to a revision; the rest is queued again.
  package mutating func recover(through written: Revision) {
    pending = inFlight.filter { $0.revision > written } + pending
    pendingEntities = pending.reduce(0) { $0 + $1.changes.count }
    inFlight = []
    inFlightEntities = 0
    isOpen = true
    isWriterAwake = false
  }

  /// Refuses further commits; those that wait are written.
  ///
  /// The first reason stays, unless it may pass, or the file is being closed.
  ///
  /// - Parameter mayPass: Whether ``acceptCommitsAgain(until:then:)`` ends it.
  package mutating func refuseCommits(_ reason: PersistenceError.Reason, mayPass: Bool = false) {
    guard refusal == nil || isRefusalPassing || reason == .closed else { return }
    (refusal, isRefusalPassing) = (reason, mayPass)
  }

  /// Accepts commits until a time, also those that a refusal which may pass has refused.
  ///
  /// - Parameters:
  ///   - end: When a companion's lease ends.
  ///   - refusal: Why commits are refused from then on.
  package mutating func acceptCommitsAgain(
    until end: ContinuousClock.Instant,
    then refusal: PersistenceError.Reason
  ) {
    lease = (end, refusal)
    if isRefusalPassing { (self.refusal, isRefusalPassing) = (nil, false) }
  }

  /// Why a commit at a time is refused; nil if it is accepted.
  ///
  /// A process that was stopped for longer than its lease may commit before anything else has noticed.
  package func refusal(
    at time: @autoclosure () -> ContinuousClock.Instant
  ) -> PersistenceError.Reason? {
    if let refusal { return refusal }
    guard let lease, time() >= lease.end else { return nil }
    return lease.refusal
  }

  /// Whether a commit waits and the writer has not tried to write it.
  ///
  /// O(1).
  package func isCertainlyUnwritten(_ revision: Revision) -> Bool {
    pending.first.map { $0.first <= revision } ?? false
  }

  /// How many commits are in memory only, as far as is known.
  package var unwrittenCommits: Int {
    (inFlight + pending).reduce(0) { $0 + Int($1.revision.number - $1.first.number + 1) }
  }
}
