import StrataSQLite

extension JournalWriter {
  /// Writes one group, then tends the file; called when something waits.
  func drain() {
    guard let line, session != nil else { return }
    do {
      _ = try writeGroup(line)
      if configuration.durability.syncsGroups { try sync(line) }
      try checkpointIfDue()
      line.callWriterIfNeeded()
      planUpkeep()
    } catch {
      degrade(error, line)
    }
  }

  /// Returns when every commit up to a revision is on disk.
  ///
  /// Called outside the writer's own executor; callers who come together share one turn of it.
  nonisolated func durable(through target: Revision) async throws(PersistenceError) {
    if configuration.restore == .readOnly { return }
    try await withCheckedContinuation { continuation in
      let waiter = FlushLine.Waiter(target: target, continuation: continuation)
      guard flushes.add(waiter) else { return }
      executor.schedule { [self] in assumeIsolated { $0.serveFlushes() } }
    }.get()
  }

  private func serveFlushes() {
    let waiters = flushes.take()
    guard let target = waiters.map(\.target).max() else { return }
    let result: Result<Void, PersistenceError>
    do throws(PersistenceError) {
      result = .success(try flush(through: target))
    } catch {
      result = .failure(error)
    }
    for waiter in waiters { waiter.continuation.resume(returning: result) }
  }

  /// Returns when every commit up to a revision is on disk.
  ///
  /// Those that come later wait for the next sync, so that callers who come together share one.
  func flush(through target: Revision) throws(PersistenceError) {
    guard let line else { throw PersistenceError(.appending, path: path.file, .closed) }
    if lock != nil || isSuspended, line.current.durable >= target { return }
    guard lock != nil else { throw PersistenceError(.appending, path: path.file, unavailable) }
    if case .degraded(let reason) = line.condition {
      throw PersistenceError(.appending, path: path.file, reason)
    }
    do {
      while let session, session.written.revision < target,
        try writeGroup(line)
      {}
      if line.current.durable < target { try sync(line) }
      try checkpointIfDue()
      planUpkeep()
    } catch {
      throw degrade(error, line)
    }
  }

  /// Takes a group and writes it; false when nothing waits.
  ///
  /// The head is told before any sync: a process killed during one must not lose the group unnoticed.
  func writeGroup(_ line: WriteLine) throws -> Bool {
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
    note(refused, in: group)
    return true
  }

  private func note(_ refused: [Refusal], in group: [PendingDelta]) {
    guard !refused.isEmpty || !unpersisted.isEmpty else { return }
    unpersisted.note(group, refused: refused)
    board.note { $0.unpersisted = unpersisted }
    if !refused.isEmpty { events.tell(.notPersisted(refused.map(\.entity))) }
  }

  func sync(_ line: WriteLine) throws {
    guard let session else { return }
    if session.durable != session.written {
      try session.barrier()
    } else if line.current.durable == session.durable.revision {
      return
    }
    noteSynced(session, line)
  }

  /// Folds SQLite's WAL into the database when there is enough in it.
  func checkpointIfDue() throws {
    guard let session, let line, let result = try session.checkpointIfDue() else { return }
    let (now, pageSize) = (configuration.now(), try session.connection.pageSize())
    board.note { $0.note(result, pageSize: Int64(pageSize), at: now) }
    noteSynced(session, line)
  }

  func noteSynced(_ session: WriterSession, _ line: WriteLine) {
    let now = configuration.now()
    board.note { $0.lastSync = now }
    line.note(written: session.written.revision, durable: session.durable.revision)
  }
}
