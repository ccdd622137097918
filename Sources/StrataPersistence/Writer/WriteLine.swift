import StrataBase
import StrataCore
import StrataNormalization

/// Where committing threads and the writer meet: the queue, its lock, and what both know of how
/// far the file is.
final class WriteLine: Sendable {
  /// How far the file is, as last told by the writer.
  struct Progress: Sendable, Equatable {
    var written: Revision
    var durable: Revision
  }

  private let queue: Lock<WriteQueue>
  private let progress: Lock<Progress>
  private let now: @Sendable () -> Int64
  private let callWriter: @Sendable (WriteQueue.Wake) -> Void

  init(
    _ queue: WriteQueue,
    now: @escaping @Sendable () -> Int64,
    callWriter: @escaping @Sendable (WriteQueue.Wake) -> Void
  ) {
    progress = Lock(Progress(written: queue.lastRevision, durable: queue.lastRevision))
    self.queue = Lock(queue)
    self.now = now
    self.callWriter = callWriter
  }

  /// Waits until there is room.
  ///
  /// The writer makes some, or gives up on the disk.
  func waitForRoom() {
    queue.withLock(when: { $0.hasRoom }) { _ in }
  }

  /// Lets the change set of a commit wait for the writer; gives the revision it became.
  func add(_ changes: ChangeSet, _ trace: CommitTrace) -> Revision {
    let time = now()
    let (wake, revision) = queue.withLock { queue in
      (queue.add(changes, trace, now: time), queue.lastRevision)
    }
    if wake != .notNeeded { callWriter(wake) }
    return revision
  }

  /// How much waits, at this moment: O(1).
  var load: (lastRevision: Revision, entities: Int, capacity: Int) {
    queue.withLock { queue in
      (queue.lastRevision, queue.pendingEntities + queue.inFlightEntities, queue.capacity)
    }
  }

  /// Whether a revision is on disk, and whether it is surely not in the file.
  func fate(of revision: Revision) -> (isDurable: Bool, isInMemoryOnly: Bool) {
    // Read first: what waits can become durable in between, and never the other way round.
    let isInMemoryOnly = queue.withLock { $0.isSurelyUnwritten(revision) }
    return (current.durable >= revision, isInMemoryOnly)
  }

  var condition: WriteQueue.Condition { queue.withLock { $0.condition } }

  var lastRevision: Revision { queue.withLock { $0.lastRevision } }

  func take(entities: Int) -> [PendingDelta] {
    queue.withLockSignalling { $0.take(entities: entities) }
  }

  func settle() { queue.withLock { $0.settle() } }

  func degrade(_ reason: PersistenceError.Reason) {
    queue.withLockSignalling { $0.degrade(reason) }
  }

  func suspend() { queue.withLockSignalling { $0.suspend() } }

  func recover(through revision: Revision) {
    queue.withLockSignalling { $0.recover(through: revision) }
  }

  func refuseCommits() { queue.withLockSignalling { $0.refuseCommits() } }

  var acceptsCommits: Bool { queue.withLock { $0.acceptsCommits } }

  func putOffCallCame() { queue.withLock { $0.putOffCallCame() } }

  /// Calls the writer again when something waits.
  func callWriterIfNeeded() {
    let wake = queue.withLock { $0.wake() }
    if wake != .notNeeded { callWriter(wake) }
  }

  func note(written: Revision, durable: Revision) {
    progress.withLock { $0 = Progress(written: written, durable: durable) }
  }

  var current: Progress { progress.withLock { $0 } }
}
