import StrataBase
import StrataJournal
import StrataSQLite
import StrataStorage

/// What is around the transaction of a run.
extension MigrationRun {
  /// Opens the file, makes a backup, lets `work` write in one transaction, and takes a snapshot of what it wrote.
  ///
  /// What fails after the transaction is a note of the report: the result is in the file then.
  func write(
    _ report: inout MigrationReport,
    _ work: (WriterSession, ReadView, _ lastTime: Int64, inout MigrationReport) throws -> Void
  ) throws {
    let hadWAL = path.walSize > 0
    var file = try store.restore()
    let made = try makeBackup(of: file, &report)
    let session = try store.makeSession(&file, start: .withTransaction)
    var isRolledBack = true
    do {
      let view = try ReadView(session.connection)
      try session.transaction {
        try work(session, view, file.lastTime, &report)
        isRolledBack = false
      }
      do {
        try session.barrier()
      } catch let error as SystemError {
        // Everything is synced; only the head was not written.
        finish("the head was not written", &report) { throw error }
      }
    } catch {
      if isRolledBack {
        if let made { MigrationBackup(of: path, on: persistence.disk).remove(made) }
        // Pages of the transaction that did not fit into memory are in the WAL; none of it counts.
        if !hadWAL { session.connection.checkpointsOnClose = .automatic }
      }
      throw error
    }
    report.after = session.written.revision
    if report.after != report.before {
      finish("no snapshot was taken", &report) { try takeSnapshot(of: file, session) }
    }
    finish("the file was not closed in order", &report) { try session.close() }
    let backup = report.backup
    finish("old backups were not removed", &report) { try removeOldBackups(besides: backup) }
  }

  /// Does what the result does not need; an error is noted.
  private func finish(
    _ failure: String,
    _ report: inout MigrationReport,
    _ work: () throws -> Void
  ) {
    do {
      try work()
    } catch {
      let reason = PersistenceError(.migrating, path: path.file, wrapping: error).reason
      report.notes.append("\(failure): \(reason.sentence)")
    }
  }

  /// Checks the free space, and makes a backup if one is wanted and there is none yet; returns the path of one that was
  /// made.
  private func makeBackup(
    of file: RestoredFile,
    _ report: inout MigrationReport
  ) throws -> String? {
    guard case .keep(let count) = configuration.backups, count > 0 else {
      try checkSpace(backups: 0)
      return nil
    }
    let backup = MigrationBackup(of: path, on: persistence.disk)
    report.backup = try backup.find(at: file.position)
    try checkSpace(backups: report.backup == nil ? 1 : 0)
    if report.backup != nil { return nil }
    report.backup = try backup.make(from: file.connection, at: file.position)
    return report.backup
  }

  private func removeOldBackups(besides made: String?) throws {
    guard case .keep(let count) = configuration.backups, let made else { return }
    try MigrationBackup(of: path, on: persistence.disk).removeOld(
      keeping: count,
      besides: made
    )
  }

  /// Takes a snapshot of what was written, and reads it back.
  private func takeSnapshot(of file: RestoredFile, _ session: WriterSession) throws {
    var maintenance = Maintenance(policy: persistence.snapshots, pins: HistoryPins())
    maintenance.start(with: file)
    try maintenance.startSnapshot(session)
    while maintenance.isSnapshotting { _ = try maintenance.step(session) }
  }

  /// Refuses a disk that has no room for backups, the deltas and a snapshot.
  private func checkSpace(backups: Int64) throws {
    let needed = (2 + backups) * (path.fileSize + path.walSize)
    // Where the system does not say, a full disk shows when something is written.
    guard let free = freeBytes(in: path.directory), free < needed else { return }
    throw DataMigrationError.notEnoughSpace(needed: needed, free: free)
  }
}
