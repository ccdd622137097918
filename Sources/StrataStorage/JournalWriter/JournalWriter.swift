import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

/// The one writer of a store's file.
///
/// It owns the connection and runs on an executor of its own. Committing threads only add changes to the
/// ``WriteQueue``. The writer takes them in groups, encodes, writes and syncs them; between groups it
/// merges the journal into snapshots, a slice at a time.
package actor JournalWriter {
  /// What the writer holds of its file.
  private enum State {
    /// The file was not opened yet.
    case unopened
    /// The file was opened for reading only; nothing is held of it.
    case reading
    case writing(WriterSession, OwnedStore)
    /// The disk failed. The lock is held, but no connection; the file was last at this position.
    case degraded(OwnedStore, Position)
    /// Nothing is held until the file is resumed; it was last at this position.
    case suspended(Position)
    case closed
  }

  package nonisolated let executor: FileExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  package nonisolated let path: StorePath
  package nonisolated let configuration: PersistenceConfiguration
  /// What an opening does to the file before it reads it; nil if the caller has no types to read it with.
  nonisolated let preparation: (any FilePreparation)?
  package nonisolated let events = EventBroadcaster()
  package nonisolated let queue: WriteQueue
  nonisolated let flushWaiters = FlushWaiters()
  package nonisolated let statusTracker = StatusTracker()
  package nonisolated let pins = HistoryPins()
  private var state = State.unopened
  let originID = UUID()
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
}

extension JournalWriter {
  /// The open file, while the disk works.
  var session: WriterSession? {
    if case .writing(let session, _) = state { session } else { nil }
  }

  /// Whether the file is written to: now, or once the disk works again or the file is resumed.
  var isForWriting: Bool {
    switch state {
    case .writing, .degraded, .suspended: true
    case .unopened, .reading, .closed: false
    }
  }

  /// The open file; throws the reason when there is none.
  package func requireSession(
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

  /// Starts to write a file that was opened.
  func start(_ session: WriterSession, _ store: OwnedStore) {
    state = .writing(session, store)
  }

  /// Notes that the file was opened for reading only.
  func startReading() { state = .reading }

  /// Drops the connection, and keeps the lock and the file's position.
  private func dropSession() {
    if case .writing(let session, let store) = state {
      state = .degraded(store, session.position)
    }
    maintenance.interrupt()
  }

  /// Drops the connection, then the lock, and keeps the file's position.
  private func release() {
    dropSession()
    if case .degraded(_, let position) = state { state = .suspended(position) }
  }
}

extension JournalWriter {
  /// Continues in memory after an error, and plans to try the file again.
  @discardableResult
  package func degrade(_ error: any Error) -> PersistenceError {
    let error = PersistenceError(.appending, path: path.file, wrapping: error)
    abortBackups()
    dropSession()
    queue.degrade(error.reason)
    noteDegraded(error)
    events.send(.degraded(error.reason))
    planRecovery()
    return error
  }

  /// Closes the file, lets `work` put another one in its place while the lock is held, and opens it again.
  ///
  /// Everything queued was written. When `work` throws, the file is opened as it was left. Where that fails,
  /// the writer is degraded.
  ///
  /// - Parameter work: Receives the store, and a closure that it calls once the other file is in place.
  func replaceFile<R>(
    _ work: (OwnedStore, _ didReplace: (Position) -> Void) throws -> R
  ) throws -> R {
    guard case .writing(let session, let store) = state else {
      throw PersistenceError.Reason.closed
    }
    abortBackups()
    var position = session.position
    do {
      try session.close()
    } catch {
      throw degrade(error)
    }
    dropSession()
    let result = Result { try work(store) { position = $0 } }
    state = .degraded(store, position)
    do {
      try recover(store, after: position, isAnnounced: false)
    } catch {
      // What the work has done is done; commits wait until the file can be opened.
      _ = degrade(error)
    }
    return try result.get()
  }

  private func noteDegraded(_ error: PersistenceError) {
    let now = configuration.now()
    statusTracker.update { $0.degrade(error, at: now) }
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
    guard case .degraded(let store, let position) = state else { return }
    do {
      try recover(store, after: position)
      recoveryDelay = configuration.recoveryInterval
    } catch {
      dropSession()
      let error = PersistenceError(.appending, path: path.file, wrapping: error)
      queue.degrade(error.reason)
      noteDegraded(error)
      recoveryDelay = min(recoveryDelay * 2, .seconds(30))
      planRecovery()
    }
  }

  /// Opens the file again, compares it with what was written, and writes what it lacks.
  ///
  /// - Parameter isAnnounced: Whether an event says so: the file was degraded before.
  private func recover(
    _ store: OwnedStore,
    after position: Position,
    isAnnounced: Bool = true
  ) throws {
    var store = store
    try store.lockAgainIfLost()
    var file = try store.reopen()
    try check(file, continues: position)
    let session = try store.makeSession(&file, as: originID)
    start(session, store)
    queue.recover(through: session.written.revision)
    maintenance.start(with: file)
    while try writeGroup() {}
    try sync()
    noteSynced(session)
    statusTracker.update { $0.condition = .healthy }
    noteSizes()
    if isAnnounced { events.send(.recovered(through: session.written.revision)) }
  }

  /// Refuses a file that is not the one that was left, or that another writer has continued.
  private func check(_ file: RestoredFile, continues left: Position) throws {
    let found = file.position
    let isSame = found.storeID == left.storeID && found.epoch == left.epoch
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
    case .writing, .degraded: break
    }
    abortBackups()
    var failure: PersistenceError?
    do {
      try writeEverything()
    } catch {
      failure = PersistenceError(.suspending, path: path.file, wrapping: error)
    }
    release()
    noteSuspended(failure)
    if let failure { throw failure }
  }

  /// Takes the lock and the file again, checks that it is as it was left, and writes what was committed
  /// meanwhile.
  ///
  /// When that fails, nothing has changed.
  package func resume() throws(PersistenceError) {
    let position: Position
    switch state {
    case .suspended(let left): position = left
    case .writing, .degraded, .reading: return
    case .unopened, .closed: throw PersistenceError(.resuming, path: path.file, .closed)
    }
    do {
      var store = try OwnedStore(path, for: .resuming, configuration)
      try store.leavingNoTrace { store in
        do {
          try recover(store, after: position)
        } catch {
          release()
          throw error
        }
      }
    } catch {
      let error = PersistenceError(.resuming, path: path.file, wrapping: error)
      noteSuspended(error)
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
    case .writing, .degraded, .suspended: try closeFile()
    }
  }

  private func closeFile() throws(PersistenceError) {
    abortBackups()
    defer {
      release()
      state = .closed
      statusTracker.update { $0.condition = .closed }
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
    if case .degraded(let store, let position) = state { try recover(store, after: position) }
    while try writeGroup() {}
    guard let session else { return }
    try session.close()
    noteSynced(session)
  }

  private func noteSuspended(_ failure: PersistenceError?) {
    queue.suspend()
    let now = configuration.now()
    statusTracker.update { status in
      status.condition = .suspended(since: now)
      if let failure { status.fail("\(failure)", at: now) }
    }
  }
}
