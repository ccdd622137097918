import Foundation
import StrataBase
import StrataSQLite

/// The one writer of a store's file.
///
/// It owns the connection and runs on an executor of its own. Committing threads only leave changes in
/// the ``WriteQueue``; here they are taken in groups, encoded, written and synced, and between groups the
/// journal is merged into snapshots, a slice at a time.
package actor JournalWriter {
  /// What the writer has of its file.
  enum State {
    /// It was not opened yet.
    case unopened
    /// It was opened only to be read, and nothing is held of it.
    case reading
    case writing(WriterSession, LockHandle)
    /// The disk failed. The lock is held and nothing is open; the file stood at this position.
    case degraded(LockHandle, Position)
    /// Nothing is held until the file is resumed; it stood at this position.
    case suspended(Position)
    case closed
  }

  package nonisolated let executor: FileExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package nonisolated let path: StorePath
  package nonisolated let configuration: PersistenceConfiguration
  package nonisolated let events = EventBroadcaster()
  package nonisolated let queue: WriteQueue
  nonisolated let flushWaiters = FlushWaiters()
  package nonisolated let board = StatusBoard()
  package nonisolated let pins = HistoryPins()
  var state = State.unopened
  var maintenance: Maintenance
  let originID = UUID()
  var recoveryDelay: Duration
  var isRecoveryPlanned = false
  /// Copies of the file that are being made.
  var backups: [OnlineBackup] = []
  var snapshotMeter: ProgressMeter?
  var unpersisted = UnpersistedEntities()

  /// How many changed entities go into one transaction at most, unless one commit has more.
  static let groupEntities = 10_000

  /// A writer for the file at a path, which is not touched before it is opened.
  package init(_ path: StorePath, _ configuration: PersistenceConfiguration) {
    executor = FileExecutor(label: "strata.writer")
    self.path = path
    self.configuration = configuration
    maintenance = Maintenance(
      policy: configuration.snapshots,
      pins: pins,
      now: configuration.now
    )
    recoveryDelay = configuration.recoveryInterval
    let clock = configuration.now
    queue = WriteQueue(
      WriteQueueState(
        capacity: configuration.queueCapacity,
        wakesAtOnceFrom: configuration.durability.maxCommits
      ),
      now: { clock().microseconds }
    )
  }

  /// The open file, while the disk works.
  var session: WriterSession? {
    if case .writing(let session, _) = state { session } else { nil }
  }

  /// The open file; throws why there is none.
  func requireSession(
    for operation: PersistenceError.Operation
  ) throws(PersistenceError) -> WriterSession {
    switch state {
    case .writing(let session, _): return session
    case .degraded: throw PersistenceError(operation, path: path.file, reasonOfDegradation)
    case .suspended: throw PersistenceError(operation, path: path.file, .suspended)
    case .reading: throw PersistenceError(operation, path: path.file, .readOnly)
    case .unopened, .closed: throw PersistenceError(operation, path: path.file, .closed)
    }
  }

  private var reasonOfDegradation: PersistenceError.Reason {
    if case .degraded(let reason) = queue.condition { return reason }
    return .busy("the file is being opened again")
  }

  /// Drops the connection after an error; the lock stays, and so does where the file stood.
  func dropSession() {
    if case .writing(let session, let lock) = state {
      state = .degraded(lock, session.position)
    }
    maintenance.interrupt()
  }
}
