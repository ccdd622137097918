extension JournalWriter {
  /// Writes one group, then tends the file; called when something waits.
  func drain() {
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
    if !refused.isEmpty { events.tell(.notPersisted(refused)) }
    return true
  }

  func sync(_ line: WriteLine) throws {
    guard let session, session.durable != session.written else { return }
    try session.barrier()
    line.note(written: session.written.revision, durable: session.durable.revision)
  }
}
