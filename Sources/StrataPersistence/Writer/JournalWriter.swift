import Foundation
import StrataSQLite

/// The one writer of a store's file.
///
/// It owns the connection and runs on an executor of its own. Committing threads only leave change
/// sets in the ``WriteLine``; here they are taken in groups, encoded, written and synced, and
/// between groups the journal is folded into snapshots, a slice at a time.
actor JournalWriter {
  nonisolated let executor: FileExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let path: StorePath
  let configuration: PersistenceConfiguration
  let events: EventHub
  let keeping: Keeping
  nonisolated let flushes = FlushLine()
  nonisolated let board = StatusBoard()
  nonisolated let pins = HistoryPins()
  var line: WriteLine?
  var session: WriterSession?
  var upkeep: Upkeep
  var lock: HeldLock?
  let originID = UUID()
  var recoveryDelay: Duration
  var isRecoveryPlanned = false
  /// Whether the file was let go of, to be taken again.
  var isSuspended = false
  /// Where the file was when it was last let go of.
  var standing: Position?
  /// Copies of the file that are being made.
  var backups: [OnlineBackup] = []
  var snapshotMeter: ProgressMeter?
  var unpersisted = UnpersistedEntities()

  /// How many changed entities go into one transaction at most, unless one commit has more.
  static let groupEntities = 10_000

  init(
    executor: FileExecutor,
    path: StorePath,
    configuration: PersistenceConfiguration,
    events: EventHub,
    keeping: Keeping
  ) {
    self.executor = executor
    self.path = path
    self.configuration = configuration
    self.events = events
    self.keeping = keeping
    upkeep = Upkeep(
      policy: configuration.snapshots,
      pins: pins,
      now: configuration.now
    )
    recoveryDelay = configuration.recoveryInterval
  }
}
