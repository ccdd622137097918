import Foundation
package import StrataBase
package import StrataJournal
import StrataSQLite

/// The one writer of a store's file.
///
/// It owns the connection and runs on an executor of its own. Committing threads only add changes to the
/// ``WriteQueue``. The writer takes them in groups, encodes, writes and syncs them; between groups it
/// merges the journal into snapshots, a slice at a time.
package actor JournalWriter {
  package nonisolated let executor: FileExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package nonisolated let path: StorePath
  package nonisolated let configuration: PersistenceConfiguration
  /// What an opening does to the file before it reads it; nil if the caller has no types to read it with.
  package nonisolated let preparation: (any FilePreparation)?
  package nonisolated let events = EventBroadcaster<PersistenceEvent>()
  package nonisolated let queue: WriteQueue
  nonisolated let flushWaiters = FlushWaiters()
  package nonisolated let statusTracker = StatusTracker()
  package nonisolated let pins = HistoryPins()
  private var state = WriterState.unopened {
    didSet { publishState() }
  }
  private(set) var originID = Scheduling.uuid()
  private var recoveryDelay: Duration
  private var isRecoveryPlanned = false
  var maintenance: Maintenance
  /// Copies of the file that are in progress.
  var backups: [OnlineBackup] = []
  var snapshotMeter: ProgressMeter?
  var unpersisted = UnpersistedEntities()

  /// How many changed entities go into one transaction at most, unless one commit has more.
  static let groupEntities = 10_000

  /// A writer for the file at a path, which is not touched before it is opened.
  package init(
    _ path: StorePath,
    _ configuration: PersistenceConfiguration,
    preparation: (any FilePreparation)? = nil
  ) {
    self.preparation = preparation
    executor = FileExecutor(label: "strata.writer")
    self.path = path
    self.configuration = configuration
    maintenance = Maintenance(policy: configuration.snapshots, pins: pins)
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
}

extension JournalWriter {
  /// The open file, while the disk works.
  var session: WriterSession? { state.session }

  /// Whether the file is written to: now, or once the disk works again or the file is resumed.
  var isForWriting: Bool { state.position != nil }

  /// The open file; throws the reason when there is none.
  package func requireSession(
    for operation: PersistenceError.Operation
  ) throws(PersistenceError) -> WriterSession {
    if let session { return session }
    throw PersistenceError(operation, path: path.file, state.refusal)
  }

  /// Starts to write a file that was opened.
  func start(_ session: WriterSession, _ store: OwnedStore) {
    state = .writing(session, store)
  }

  /// Notes that the file was opened for reading only.
  func startReading() { state = .reading }

  /// Publishes the state, which alone decides what the queue does with commits and which condition the status
  /// has.
  private func publishState() {
    switch state {
    case .degraded: queue.degrade()
    case .suspended: queue.suspend()
    case .recovering(let session, _, _):
      queue.recover(through: session.written.revision)
      pins.noteOpened()
    case .writing: pins.noteOpened()
    case .unopened, .reading, .replacing, .closed: break
    }
    let condition = state.condition
    statusTracker.update { $0.condition = condition }
  }

  /// Drops the connection, and then the lock unless the next state holds it.
  private func dropSession(_ next: WriterState) {
    maintenance.interrupt()
    withExtendedLifetime(state.store) { state = next }
  }
}

extension JournalWriter {
  /// Continues in memory after an error, and plans to try the file again.
  @discardableResult
  package func degrade(_ error: any Error) -> PersistenceError {
    let error = PersistenceError(.appending, path: path.file, wrapping: error)
    abortBackups()
    fail(error)
    events.send(.degraded(error))
    planRecovery()
    return error
  }

  /// Goes on without the file because of an error, until it is tried again.
  private func fail(_ error: PersistenceError) {
    let now = configuration.now()
    statusTracker.update { $0.fail("\(error)", at: now) }
    guard let store = state.store, let position = state.position else { return }
    let began = if case .degraded(_, let since) = state.condition { since } else { now }
    dropSession(.degraded(store, position, error, since: began))
  }

  /// Closes the file, lets `work` put another one in its place while the lock is held, and opens it again.
  ///
  /// Everything queued was written. When `work` throws, the file is opened as it was left. Where that fails,
  /// the writer is degraded.
  ///
  /// - Parameter work: Receives the store, and a closure that it calls once the other file is in place.
  package func replaceFile<R>(
    _ work: (OwnedStore, _ didReplace: (Position) -> Void) throws -> R
  ) throws -> R {
    guard case .writing(let session, let store) = state else {
      throw PersistenceError.Reason.closed
    }
    abortBackups()
    do {
      try session.close()
    } catch {
      throw degrade(error)
    }
    dropSession(.replacing(store, session.position))
    let result = Result { try work(store) { state = .replacing(store, $0) } }
    do {
      try recover()
    } catch {
      // The work has taken effect; commits wait until the file can be opened.
      degrade(error)
    }
    return try result.get()
  }

  private func planRecovery() {
    guard !isRecoveryPlanned, case .degraded = state else { return }
    isRecoveryPlanned = true
    executor.schedule(after: recoveryDelay) { [weak self] in
      self?.assumeIsolated { $0.tryRecovery() }
    }
  }

  private func tryRecovery() {
    isRecoveryPlanned = false
    guard case .degraded = state else { return }
    do {
      try recover()
      recoveryDelay = configuration.recoveryInterval
    } catch {
      fail(PersistenceError(.appending, path: path.file, wrapping: error))
      recoveryDelay = min(recoveryDelay * 2, .seconds(30))
      planRecovery()
    }
  }

  /// Opens the file that is held again, compares it with what was written, and writes what it lacks.
  private func recover() throws {
    if var store = state.store { try recover(&store) }
  }

  private func recover(_ store: inout OwnedStore) throws {
    guard let position = state.position else { return }
    let condition = state.condition
    try store.lockAgainIfLost()
    var file = try store.reopen()
    try check(file, continues: position)
    let session = try store.makeSession(&file, as: originID, isNoted: true)
    originID = session.originID
    state = .recovering(session, store, from: condition)
    maintenance.start(with: file)
    while try writeGroup() {}
    try sync()
    noteSynced(session)
    state = .writing(session, store)
    noteSizes()
    if condition != .healthy { events.send(.recovered(through: session.written.revision)) }
  }

  /// Refuses a file that is not the one that was left, or that another writer has continued.
  private func check(_ file: RestoredFile, continues left: Position) throws {
    let found = file.position
    let isSame = found.storeID == left.storeID && found.lineage == left.lineage
    let isOurs =
      if found.revision == left.revision {
        found.chain == left.chain
      } else {
        try found.revision > left.revision && found.revision <= queue.lastRevision
          && file.wasLastWritten(by: originID)
      }
    guard isSame, isOurs else { throw FileMovedOn(from: left, to: found) }
  }
}

extension JournalWriter {
  /// Writes what waits, and releases the file and its lock until ``resume()``.
  ///
  /// They are released even when something could not be written; the error says why.
  package func suspend() throws(PersistenceError) {
    switch state {
    case .suspended, .reading: return
    case .unopened, .closed: throw PersistenceError(.suspending, path: path.file, .closed)
    case .writing, .replacing, .recovering, .degraded: break
    }
    abortBackups()
    do {
      try writeEverything()
      release(since: configuration.now())
    } catch {
      let error = PersistenceError(.suspending, path: path.file, wrapping: error)
      release(since: configuration.now(), because: error)
      throw error
    }
  }

  /// Takes the lock and the file again, checks that it is as it was left, and writes what was committed
  /// meanwhile.
  ///
  /// When that fails, nothing has changed.
  package func resume() throws(PersistenceError) {
    let began: Date
    switch state {
    case .suspended(_, let since): began = since
    case .writing, .replacing, .recovering, .degraded, .reading: return
    case .unopened, .closed: throw PersistenceError(.resuming, path: path.file, .closed)
    }
    do {
      var store = try OwnedStore(path, for: .resuming, configuration)
      try store.leavingNoTrace { store in
        do {
          try recover(&store)
        } catch {
          release(since: began)
          throw error
        }
      }
    } catch {
      let error = PersistenceError(.resuming, path: path.file, wrapping: error)
      release(since: began, because: error)
      throw error
    }
  }

  /// Writes what waits, copies SQLite's WAL into the file and releases it.
  ///
  /// The caller has made sure that no further commit is queued. The file is released even when something
  /// could not be written; the error says why.
  package func close() throws(PersistenceError) {
    switch state {
    case .reading: events.finish()
    case .unopened, .closed: break
    case .writing, .replacing, .recovering, .degraded, .suspended: try closeFile()
    }
  }

  private func closeFile() throws(PersistenceError) {
    abortBackups()
    defer {
      dropSession(.closed)
      OpenWriters.remove(self)
      events.finish()
    }
    do {
      if case .suspended = state, queue.current.written < queue.lastRevision { try resume() }
      if case .suspended = state {} else { try writeEverything() }
    } catch {
      throw PersistenceError(.closing, path: path.file, wrapping: error)
    }
    guard unpersisted.isEmpty else {
      throw PersistenceError(.closing, path: path.file, .notPersisted(unpersisted.entities))
    }
  }

  /// Writes all that waits and closes the connection.
  private func writeEverything() throws {
    if case .degraded = state { try recover() }
    while try writeGroup() {}
    guard let session else { return }
    try session.close()
    noteSynced(session)
  }

  /// Drops the connection and the lock, and keeps the file's position until the file is resumed.
  private func release(since: Date, because error: PersistenceError? = nil) {
    if let position = state.position { dropSession(.suspended(position, since: since)) }
    guard let error else { return }
    let now = configuration.now()
    statusTracker.update { $0.fail("\(error)", at: now) }
  }
}
