import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

extension JournalWriter {
  /// Writes one group and does what is due; called when something waits.
  func drain() {
    guard session != nil else { return }
    do {
      _ = try writeGroup()
      if configuration.durability.syncsGroups { try sync() }
      try checkpointIfDue()
      queue.wakeWriterIfNeeded()
      planMaintenance()
    } catch {
      degrade(error)
    }
  }

  /// Returns when every commit up to a revision is on disk.
  ///
  /// Called outside the writer's executor. Concurrent callers share one sync.
  package nonisolated func durable(through target: Revision) async throws(PersistenceError) {
    if configuration.restore == .readOnly { return }
    let priority = Task.currentPriority
    try await withCheckedContinuation { continuation in
      let waiter = FlushWaiters.Waiter(
        target: target,
        priority: priority,
        continuation: continuation
      )
      if flushWaiters.add(waiter) { callForFlushWaiters(at: priority) }
    }.get()
  }

  /// Whether every commit up to a revision is known to be on disk.
  package nonisolated func isDurable(through target: Revision) -> Bool {
    // Refused commits mean that the file is being closed; then the writer knows the answer.
    queue.current.durable >= target && queue.acceptsCommits
  }

  /// How many callers of `durable(through:)` the writer does not serve yet.
  package nonisolated var waitingCallers: Int { flushWaiters.count }

  private nonisolated func callForFlushWaiters(at priority: TaskPriority) {
    executor.schedule(at: priority) { [self] in assumeIsolated { $0.serveFlushWaiters() } }
  }

  /// How often the callers that came meanwhile are added before a sync.
  private static let gatherings = 16

  /// Serves the callers that wait: their commits are written, then synced together.
  ///
  /// A sync takes as long as many groups. So callers that come while a group is written are added, and
  /// wait for one sync instead of two. All continue right after the sync, before a checkpoint that is due.
  private func serveFlushWaiters() {
    var waiters = flushWaiters.take()
    var result = Result<Void, PersistenceError>.success(())
    do throws(PersistenceError) {
      try write(for: waiters)
      for _ in 0..<Self.gatherings {
        let more = flushWaiters.take()
        if more.isEmpty { break }
        waiters += more
        try write(for: more)
      }
      if let target = waiters.map(\.target).max() { try makeDurable(through: target) }
    } catch {
      result = .failure(error)
    }
    for waiter in waiters { waiter.continuation.resume(returning: result) }
    if let priority = flushWaiters.end() { callForFlushWaiters(at: priority) }
    if session == nil { return }
    do {
      try checkpointIfDue()
      planMaintenance()
    } catch {
      degrade(error)
    }
  }

  private func write(for waiters: [FlushWaiters.Waiter]) throws(PersistenceError) {
    if let target = waiters.map(\.target).max() { try write(through: target) }
  }

  /// Writes the commits up to a revision, without a sync.
  private func write(through target: Revision) throws(PersistenceError) {
    if isForWriting, queue.current.durable >= target { return }
    _ = try requireSession(for: .appending)
    do {
      while let session, session.written.revision < target,
        try writeGroup()
      {}
    } catch {
      throw degrade(error)
    }
  }

  /// Syncs what is written up to a revision.
  private func makeDurable(through target: Revision) throws(PersistenceError) {
    do {
      if queue.current.durable < target { try sync() }
    } catch {
      throw degrade(error)
    }
  }

  /// Returns when every commit up to a revision is on disk.
  ///
  /// Later commits wait for the next sync, so that concurrent callers share one.
  package func flush(through target: Revision) throws(PersistenceError) {
    if isForWriting, queue.current.durable >= target { return }
    try write(through: target)
    try makeDurable(through: target)
    do {
      try checkpointIfDue()
      planMaintenance()
    } catch {
      throw degrade(error)
    }
  }

  /// Takes a group and writes it; returns false when nothing waits.
  ///
  /// The head is written before any sync. If the process is killed during a sync, the next opening must
  /// notice that the group is lost.
  func writeGroup() throws -> Bool {
    guard let session else { return false }
    let group = queue.take(entities: Self.groupEntities)
    guard let last = group.last else { return false }
    let before = session.bytesAppended
    let refused = try session.append(group)
    queue.settle()
    maintenance.noteAppended(session.bytesAppended - before)
    try session.writeHead()
    noteSizes()
    noteTimes(session, last: last.time)
    queue.note(written: last.revision, durable: session.durable.revision)
    events.send(.appended(through: last.revision))
    note(refused, in: group)
    return true
  }

  /// Notes whether the time of the last delta is ahead of the clock.
  func noteTimes(_ session: WriterSession, last: Int64) {
    let (now, known) = (configuration.now(), statusTracker.current.heldTimes)
    guard HeldTimes.isAhead(last, of: now.microseconds) else {
      if known != nil { statusTracker.update { $0.heldTimes = nil } }
      return
    }
    do {
      let held =
        try known.map { HeldTimes(time: Date(microseconds: last), since: $0.since) }
        ?? ReadView(session.connection).heldTimes(at: now)
      statusTracker.update { $0.heldTimes = held }
    } catch {
      // What is wrong with the file shows with the next write, and the next group is noted again.
      return
    }
  }

  private func note(_ refused: [UnpersistedChange], in group: [PendingDelta]) {
    guard !refused.isEmpty || !unpersisted.isEmpty else { return }
    unpersisted.note(group, refused: refused)
    statusTracker.update {
      $0.unpersisted = unpersisted
      $0.hasHadUnpersisted = true
    }
    if !refused.isEmpty { events.send(.notPersisted(refused.map(\.entity))) }
  }

  /// Makes everything written durable.
  func sync() throws {
    guard let session else { return }
    if session.durable != session.written {
      try session.barrier()
    } else if queue.current.durable == session.durable.revision {
      return
    }
    noteSynced(session)
  }

  /// Copies SQLite's WAL into the database when it is large enough.
  func checkpointIfDue() throws {
    guard let session, let result = try session.checkpointIfDue() else { return }
    let (now, pageSize) = (configuration.now(), try session.connection.pageSize())
    statusTracker.update { $0.note(result, pageSize: Int64(pageSize), at: now) }
    noteSynced(session)
  }

  /// Notes how far the file is after a sync.
  func noteSynced(_ session: WriterSession) {
    let now = configuration.now()
    statusTracker.update { $0.lastSync = now }
    queue.note(written: session.written.revision, durable: session.durable.revision)
  }
}

extension JournalWriter {
  /// The state of the file at this moment; see `Persistence.status`.
  package nonisolated var status: PersistenceStatus {
    let tracked = statusTracker.current
    let load = queue.load
    let progress = queue.current
    return PersistenceStatus(
      condition: tracked.condition,
      queue: PersistenceStatus.Queue(
        commits: Int(max(0, load.lastRevision.number - progress.written.number)),
        entities: load.entities,
        capacity: load.capacity
      ),
      revisions: PersistenceStatus.Revisions(
        committed: load.lastRevision,
        written: progress.written,
        durable: progress.durable
      ),
      bytes: PersistenceStatus.Bytes(
        database: path.fileSize,
        wal: path.walSize,
        journal: tracked.journalBytes,
        snapshots: tracked.snapshotBytes
      ),
      lastSync: tracked.lastSync,
      lastFailure: tracked.lastFailure,
      notPersisted: tracked.unpersisted.entities,
      pinnedWAL: tracked.pinnedWAL,
      heldTimes: tracked.heldTimes,
      newestSnapshot: tracked.newestSnapshot,
      trimmed: tracked.trimmed
    )
  }
}
