import Foundation
import StrataMigrations
import StrataNormalization

/// The one writer of a store's file.
///
/// It owns the connection and runs on an executor of its own. Committing threads only leave change
/// sets in the ``WriteLine``; here they are taken in groups, encoded, written and synced, and
/// between groups the journal is folded into snapshots, a slice at a time.
actor JournalWriter {
  nonisolated let executor: WriterExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let path: StorePath
  let configuration: PersistenceConfiguration
  let events: EventHub
  private var line: WriteLine?
  private var session: WriterSession?
  private var upkeep: Upkeep
  private var lock: HeldLock?
  private let originID = UUID()
  private var recoveryDelay: Duration
  private var isRecoveryPlanned = false

  /// How many changed entities go into one transaction at most, unless one commit has more.
  private static let groupEntities = 50_000

  init(
    executor: WriterExecutor,
    path: StorePath,
    configuration: PersistenceConfiguration,
    events: EventHub
  ) {
    self.executor = executor
    self.path = path
    self.configuration = configuration
    self.events = events
    upkeep = Upkeep(policy: configuration.snapshots)
    recoveryDelay = configuration.recoveryInterval
  }
}

// Opening and closing.
extension JournalWriter {
  /// Opens the file, or creates it, and restores the database it holds.
  func open<Database: DatabaseType>(
    initial: Database
  ) throws(PersistenceError) -> (database: Database, report: RestoreReport, line: WriteLine) {
    let now = configuration.now().microseconds
    let owner = LockFile.Owner.current(started: configuration.now())
    let lock = HeldLock(try StoreGate.enter(path, as: owner, knownFormat: StoreFormat.known))
    do {
      let isNew = try path.occupant(.opening) == .nothing
      if isNew { try StoreCreation(path: path, now: now).create(initial) }
      let restored = try RestoredFile(
        openingForWriting: path,
        now: now,
        vfs: configuration.vfs
      )
      let (database, report) = try restored.database(
        initial,
        outcome: isNew ? .fresh : .restored,
        head: HeadFile.read(path.head),
        bootID: configuration.bootID
      )
      let session = try WriterSession(
        restored,
        path: path,
        originID: originID,
        bootID: configuration.bootID,
        time: now
      )
      try session.introduce(report.newTables, of: database, time: max(now, restored.lastTime))
      upkeep.begin(after: restored.snapshot?.header, journalBytes: restored.journalBytes)
      self.session = session
      self.lock = lock
      let line = makeLine(after: session.written.revision, time: max(now, restored.lastTime))
      self.line = line
      planUpkeep()
      return (database, report, line)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
  }

  private func makeLine(after revision: Revision, time: Int64) -> WriteLine {
    let queue = WriteQueue(
      after: revision,
      time: time,
      capacity: configuration.queueCapacity,
      callsAtOnceFrom: configuration.durability.maxCommits
    )
    let delay = configuration.durability.delay
    let clock = configuration.now
    return WriteLine(queue, now: { clock().microseconds }) { [executor, weak self] wake in
      executor.schedule(after: wake == .now ? .zero : delay) { [weak self] in
        self?.assumeIsolated { $0.drain() }
      }
    }
  }

  /// Writes what waits, folds SQLite's WAL into the file and lets go of it.
  ///
  /// The caller has made sure that no commit adds anything any more.
  /// The file is let go even when that fails; the error says what was not written.
  func close() throws(PersistenceError) {
    guard let line, lock != nil else { return }
    defer {
      session = nil
      lock = nil
      events.finish()
    }
    do {
      if session == nil { try recover(line) }
      while try writeGroup(line) {}
      try session?.close()
      if let session {
        line.note(written: session.written.revision, durable: session.durable.revision)
      }
    } catch {
      throw PersistenceError(.closing, path: path.file, wrapping: error)
    }
  }
}

// Writing.
extension JournalWriter {
  /// Writes one group, then tends the file; called when something waits.
  private func drain() {
    guard let line, session != nil else { return }
    do {
      _ = try writeGroup(line)
      if configuration.durability.syncsGroups { try sync(line) }
      try session?.checkpointIfDue()
      line.callWriterIfNeeded()
      planUpkeep()
    } catch {
      degrade(error, line)
    }
  }

  /// Returns when every commit up to the present one is on disk.
  func flush() throws(PersistenceError) {
    guard let line, lock != nil else {
      throw PersistenceError(.appending, path: path.file, .closed)
    }
    let target = line.lastRevision
    if case .degraded(let reason) = line.condition {
      throw PersistenceError(.appending, path: path.file, reason)
    }
    do {
      while let session, session.written.revision < target, try writeGroup(line) {}
      if let session, session.durable.revision < target { try sync(line) }
      try session?.checkpointIfDue()
      planUpkeep()
    } catch {
      throw degrade(error, line)
    }
  }

  /// Takes a group and writes it; false when nothing waits.
  private func writeGroup(_ line: WriteLine) throws -> Bool {
    guard let session else { return false }
    let group = line.take(entities: Self.groupEntities)
    guard let last = group.last else { return false }
    let before = session.bytesAppended
    let refused = try session.append(group)
    line.settle()
    upkeep.noteAppended(session.bytesAppended - before)
    try session.noteWritten()
    line.note(written: last.revision, durable: session.durable.revision)
    events.tell(.appended(through: last.revision))
    if !refused.isEmpty { events.tell(.notPersisted(refused)) }
    return true
  }

  private func sync(_ line: WriteLine) throws {
    guard let session, session.durable != session.written else { return }
    try session.barrier()
    line.note(written: session.written.revision, durable: session.durable.revision)
  }
}

// When the disk refuses.
extension JournalWriter {
  /// Goes on in memory, and plans to try the file again.
  @discardableResult
  private func degrade(_ error: any Error, _ line: WriteLine) -> PersistenceError {
    let error = PersistenceError(.appending, path: path.file, wrapping: error)
    session = nil
    upkeep.interrupt()
    line.degrade(error.reason)
    events.tell(.degraded(error.reason))
    planRecovery()
    return error
  }

  private func planRecovery() {
    guard !isRecoveryPlanned, lock != nil else { return }
    isRecoveryPlanned = true
    executor.schedule(after: recoveryDelay) { [weak self] in
      self?.assumeIsolated { $0.tryRecovery() }
    }
  }

  private func tryRecovery() {
    isRecoveryPlanned = false
    guard let line, lock != nil, session == nil else { return }
    do {
      try recover(line)
      recoveryDelay = configuration.recoveryInterval
    } catch {
      session = nil
      line.degrade(PersistenceError(.appending, path: path.file, wrapping: error).reason)
      recoveryDelay = min(recoveryDelay * 2, .seconds(30))
      planRecovery()
    }
  }

  /// Opens the file again, compares it with what was written, and writes what it lacks.
  private func recover(_ line: WriteLine) throws {
    let known = line.current.written
    let now = configuration.now().microseconds
    let restored = try RestoredFile(
      openingForWriting: path,
      now: now,
      vfs: configuration.vfs
    )
    let session = try WriterSession(
      restored,
      path: path,
      originID: originID,
      bootID: configuration.bootID,
      time: now
    )
    guard session.written.revision >= known, session.written.revision <= line.lastRevision else {
      throw DamageFound(
        "the file is at revision \(session.written.revision), but \(known) was written before"
      )
    }
    self.session = session
    line.recover(through: session.written.revision)
    upkeep.begin(after: restored.snapshot?.header, journalBytes: restored.journalBytes)
    while try writeGroup(line) {}
    try sync(line)
    line.note(written: session.written.revision, durable: session.durable.revision)
    events.tell(.recovered(through: session.written.revision))
  }
}

// Snapshots.
extension JournalWriter {
  /// Arranges for the next slice of what is due, behind whatever is asked of the writer by then.
  private func planUpkeep() {
    guard session != nil, upkeep.hasWork, !upkeep.isPlanned else { return }
    upkeep.isPlanned = true
    executor.schedule { [weak self] in
      self?.assumeIsolated { $0.doUpkeep() }
    }
  }

  private func doUpkeep() {
    upkeep.isPlanned = false
    guard let session else { return }
    do {
      if let event = try upkeep.step(session) { events.tell(event) }
    } catch {
      upkeep.interrupt()
      events.tell(.snapshotFailed("\(error)"))
    }
    planUpkeep()
  }

  /// Takes a snapshot of everything committed before the call, and names it.
  func snapshot(named name: String) throws(PersistenceError) -> Revision {
    try flush()
    guard let session else { throw PersistenceError(.snapshotting, path: path.file, .closed) }
    do {
      let revision = session.written.revision
      let existing = try session.snapshots.verified().contains { $0.header.revision == revision }
      if !existing {
        try upkeep.startSnapshot(session)
        while upkeep.isSnapshotting {
          if let event = try upkeep.step(session) { events.tell(event) }
        }
      }
      try session.snapshots.name(name, revision)
      try session.barrier()
      planUpkeep()
      return revision
    } catch {
      upkeep.interrupt()
      throw PersistenceError(.snapshotting, path: path.file, wrapping: error)
    }
  }
}

/// The writer's lock, held for as long as this object lives.
final class HeldLock: Sendable {
  private let lock: LockFile

  init(_ lock: consuming LockFile) { self.lock = lock }
}
