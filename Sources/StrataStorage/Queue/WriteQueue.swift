package import StrataBase
package import StrataJournal

/// The queue between committing threads and the writer, with its lock and the progress of the file.
package final class WriteQueue: Sendable {
  /// How far the file is, as last reported by the writer.
  package struct Progress: Sendable, Equatable {
    package var written: Revision
    package var durable: Revision
  }

  private struct Wakeup: Sendable {
    /// Wakes the writer: set by the ``JournalWriter`` when it starts the queue.
    var call: (@Sendable (WriteQueueState.Wake) -> Void)?
    /// Wakes who sends what the file has.
    var more: (@Sendable () -> Void)?
  }

  private let state: Lock<WriteQueueState>
  private let progress = Lock(Progress(written: 0, durable: 0))
  private let wakeup = Lock(Wakeup())
  private let now: @Sendable () -> Int64

  init(_ state: WriteQueueState, now: @escaping @Sendable () -> Int64) {
    self.state = Lock(state)
    self.now = now
  }

  /// Continues after the last delta of an opened file; `wakeWriter` is called when something waits.
  func start(
    after revision: Revision,
    time: Int64,
    _ wakeWriter: @escaping @Sendable (WriteQueueState.Wake) -> Void
  ) {
    state.withLock { $0.start(after: revision, time: time) }
    note(written: revision, durable: revision)
    wakeup.withLock { $0.call = wakeWriter }
  }

  private func wake(_ wake: WriteQueueState.Wake) {
    if wake != .notNeeded { wakeup.withLock { $0.call }?(wake) }
  }

  /// Waits until there is room.
  ///
  /// The writer makes room, or stops waiting for the disk.
  package func waitForRoom() {
    if state.withLock({ $0.hasRoom }) { return }
    Scheduling.current.park(until: { state.withLock { $0.hasRoom } }) {
      state.withLock(when: { $0.hasRoom }) { _ in }
    }
  }

  /// Queues the changes of a commit and returns the revision it became.
  package func add(
    _ changes: any PendingChanges,
    name: String,
    _ place: CommitPlace,
    context: (any PendingContext)? = nil
  ) -> Revision {
    let time = now()
    let (needed, revision) = state.withLock { state in
      let needed = state.add(
        changes,
        name: name,
        place,
        context: context,
        now: time,
        Scheduling.now
      )
      return (needed, state.lastRevision)
    }
    wake(needed)
    return revision
  }

  /// How much is queued at this moment.
  ///
  /// O(1).
  package var load: (lastRevision: Revision, entities: Int, capacity: Int) {
    state.withLock { state in
      (state.lastRevision, state.pendingEntities + state.inFlightEntities, state.capacity)
    }
  }

  /// Whether a revision is on disk, and whether it is certainly not in the file.
  package func outcome(of revision: Revision) -> (isDurable: Bool, isInMemoryOnly: Bool) {
    // Read first: a waiting commit can become durable in between, but not the other way round.
    let isInMemoryOnly = state.withLock { $0.isCertainlyUnwritten(revision) }
    return (current.durable >= revision, isInMemoryOnly)
  }

  /// The revision of the last commit that was queued.
  package var lastRevision: Revision { state.withLock { $0.lastRevision } }

  func take(entities: Int) -> [PendingDelta] {
    state.withLockSignalling { $0.take(entities: entities) }
  }

  func settle() { state.withLock { $0.settle() } }

  func degrade() { state.withLockSignalling { $0.degrade() } }

  func suspend() { state.withLockSignalling { $0.suspend() } }

  func recover(through revision: Revision) {
    state.withLockSignalling { $0.recover(through: revision) }
  }

  /// Refuses further commits: see ``WriteQueueState``.
  package func refuseCommits(_ reason: PersistenceError.Reason, mayPass: Bool = false) {
    state.withLockSignalling { $0.refuseCommits(reason, mayPass: mayPass) }
  }

  /// Accepts commits until a time, also those that a refusal which may pass has refused.
  package func acceptCommitsAgain(
    until end: ContinuousClock.Instant,
    then refusal: PersistenceError.Reason
  ) {
    state.withLock { $0.acceptCommitsAgain(until: end, then: refusal) }
  }

  /// Lets commits wait, or continue, because of how far the archive is behind.
  package func holdBack(_ isHeldBack: Bool) {
    state.withLockSignalling { $0.isHeldBack = isHeldBack }
  }

  /// Whether commits wait because of how far the archive is behind.
  package var isHeldBack: Bool { state.withLock { $0.isHeldBack } }

  /// Why commits are refused; nil while they are accepted.
  package var refusal: PersistenceError.Reason? {
    state.withLock { $0.refusal(at: Scheduling.now) }
  }

  /// Whether commits are accepted.
  package var acceptsCommits: Bool { refusal == nil }

  func delayedWakeDidArrive() { state.withLock { $0.delayedWakeDidArrive() } }

  /// Calls the writer again when something waits.
  func wakeWriterIfNeeded() { wake(state.withLock { $0.wake() }) }

  func note(written: Revision, durable: Revision) {
    let new = Progress(written: written, durable: durable)
    let hasMore = progress.withLock { progress in
      defer { progress = new }
      return progress != new
    }
    if hasMore { wakeup.withLock { $0.more }?() }
  }

  /// Calls a closure, in place of the one before it, whenever the file has more or more of it is durable.
  package func whenMore(_ call: @escaping @Sendable () -> Void) {
    wakeup.withLock { $0.more = call }
  }

  /// How far the file is.
  package var current: Progress { progress.withLock { $0 } }
}
