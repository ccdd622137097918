/// What waits for the writer.
///
/// Pure: the lock around it is in ``WriteQueue``.
///
/// Healthy, each commit waits as a delta of its own. Degraded, they are merged again and again as
/// they come, so memory is bounded by the entities that changed, however long the disk is away.
package struct WriteQueueState: Sendable {
  /// Whether commits reach the file.
  package enum Condition: Sendable, Equatable {
    case open
    case degraded(PersistenceError.Reason)
    /// The file was let go of for a while.
    case suspended
  }

  /// When to call the writer.
  package enum Wake: Equatable, Sendable {
    case notNeeded
    case now
    case afterDelay
  }

  package private(set) var condition = Condition.open
  /// The last revision given to a commit.
  package private(set) var lastRevision: Revision
  private var lastTime: Int64
  /// Taken by the writer; after an error nobody knows whether they are in the file.
  package private(set) var inFlight: [PendingDelta] = []
  package private(set) var pending: [PendingDelta] = []
  package private(set) var pendingEntities = 0
  package private(set) var inFlightEntities = 0
  /// While degraded or suspended.
  private var nextMergeAbove = 0
  private var isWriterAwake = false
  /// A call that was put off and has not come yet; it serves every commit until then.
  private var isWakeDelayed = false
  /// Whether the file is still being written; false once it is being closed.
  package private(set) var acceptsCommits = true

  let capacity: Int
  private let wakesAtOnceFrom: Int

  /// - Parameters:
  ///   - capacity: how many changed entities may wait before committers wait too.
  ///   - wakesAtOnceFrom: how many waiting commits are not kept waiting for company.
  package init(
    after revision: Revision = 0,
    time: Int64 = 0,
    capacity: Int,
    wakesAtOnceFrom: Int
  ) {
    lastRevision = revision
    lastTime = time
    self.capacity = capacity
    self.wakesAtOnceFrom = wakesAtOnceFrom
  }

  /// Continues after the last delta of an opened file.
  mutating func start(after revision: Revision, time: Int64) {
    lastRevision = revision
    lastTime = time
  }

  /// Whether a committer may go on: there is room, or waiting would be of no use, as nobody may ever make
  /// some once the file is being closed.
  package var hasRoom: Bool {
    pendingEntities < capacity || condition != .open || !acceptsCommits
  }

  /// Gives a change set the next revision and lets it wait.
  package mutating func add(
    _ changes: any PendingChanges,
    name: String,
    _ place: CommitPlace,
    now: Int64
  ) -> Wake {
    lastRevision = lastRevision.next
    lastTime = max(now, lastTime)
    let delta = PendingDelta(
      first: lastRevision,
      revision: lastRevision,
      time: lastTime,
      commitName: name,
      place: place,
      changes: changes
    )
    pendingEntities += changes.count
    pending.append(delta)
    if condition != .open, pendingEntities > nextMergeAbove { mergePending() }
    return wake()
  }

  /// Whether the writer must be called for what waits, assuming that the answer is acted on.
  package mutating func wake() -> Wake {
    guard condition == .open, !pending.isEmpty else { return .notNeeded }
    if pending.count >= wakesAtOnceFrom || pendingEntities >= capacity {
      // Once is enough; a call that was put off is overtaken by this one.
      guard pending.count == wakesAtOnceFrom || pendingEntities >= capacity || !isWriterAwake
      else { return .notNeeded }
      isWriterAwake = true
      return .now
    }
    if isWriterAwake || isWakeDelayed { return .notNeeded }
    isWakeDelayed = true
    return .afterDelay
  }

  /// The call that was put off has come.
  package mutating func delayedWakeDidArrive() { isWakeDelayed = false }

  /// Hands a group to the writer: whole deltas, at least one, up to `entities` changed entities.
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

  /// The group is in the file.
  package mutating func settle() {
    inFlight = []
    inFlightEntities = 0
  }

  /// The disk refused: from here on what waits is merged.
  ///
  /// The group in flight stays as it is, as it may be in the file or not.
  package mutating func degrade(_ reason: PersistenceError.Reason) {
    condition = .degraded(reason)
    mergePending()
  }

  /// The file was let go of: commits wait one by one, and are merged only where there are more than
  /// there is room for.
  package mutating func suspend() {
    condition = .suspended
    nextMergeAbove = max(capacity, 2 * pendingEntities)
  }

  /// Makes one delta of all that waits.
  ///
  /// It is done again when as much has come on top, so that its cost, spread over the commits, does
  /// not grow with how long the disk is away.
  private mutating func mergePending() {
    pending = PendingDelta.merging(pending[...]).map { [$0] } ?? []
    pendingEntities = pending.first?.changes.count ?? 0
    nextMergeAbove = max(2 * pendingEntities, 1_000)
  }

  /// The disk is back, and has everything up to a revision: what it lacks waits again.
  package mutating func recover(through written: Revision) {
    pending = inFlight.filter { $0.revision > written } + pending
    pendingEntities = pending.reduce(0) { $0 + $1.changes.count }
    inFlight = []
    inFlightEntities = 0
    condition = .open
    isWriterAwake = false
  }

  /// Lets no further commit in; what waits is for whoever closes.
  package mutating func refuseCommits() { acceptsCommits = false }

  /// Whether a commit waits and nobody has tried to write it.
  ///
  /// O(1).
  package func isSurelyUnwritten(_ revision: Revision) -> Bool {
    pending.first.map { $0.first <= revision } ?? false
  }

  /// How many commits are in memory only, as far as anyone knows.
  package var unwrittenCommits: Int {
    (inFlight + pending).reduce(0) { $0 + Int($1.revision.number - $1.first.number + 1) }
  }
}
