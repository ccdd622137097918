import StrataNormalization
import StrataSQLite

extension JournalWriter {
  /// What a file was found to hold.
  struct Found<Database: DatabaseType> {
    let database: Database
    let values: ChangeSet
    /// What is not stored as it is to be, by the options of its table.
    let untreated: ChangeSet
    var report: RestoreReport

    /// Says in the report what was put again.
    mutating func noteUntreated() {
      for changes in untreated.tables {
        report.notes.append(
          """
          \(StoredValues.title(ofTable: changes.table.text)): \(changes.count) records were not stored \
          as its options want and were put again; older deltas and snapshots have them as they were
          """
        )
      }
    }
  }

  /// Restores for writing; under `.bestEffort` from what can be proved, where not all can.
  func restore<Database: DatabaseType>(
    _ initial: Database,
    _ outcome: RestoreReport.Outcome,
    now: Int64
  ) throws -> (file: RestoredFile, found: Found<Database>) {
    let failure: PersistenceError
    do {
      return try restoreWhole(initial, outcome, now: now)
    } catch {
      failure = PersistenceError(.opening, path: path.file, wrapping: error)
    }
    guard configuration.restore == .bestEffort, case .damaged(let damage) = failure.reason,
      let loss = try Salvage(path, now: configuration.now(), on: configuration.disk)
        .run(because: damage)
    else { throw failure }
    var (file, found) = try restoreWhole(initial, outcome, now: now)
    found.report.outcome = .restoredWithLoss
    found.report.loss = found.report.loss ?? RestoreLoss()
    found.report.loss?.damage = loss.damage
    found.report.loss?.revisions = loss.revisions
    found.report.loss?.setAside = loss.setAside
    return (file, found)
  }

  private func restoreWhole<Database: DatabaseType>(
    _ initial: Database,
    _ outcome: RestoreReport.Outcome,
    now: Int64
  ) throws -> (file: RestoredFile, found: Found<Database>) {
    let collector = DatabaseCollector<Database>(path, keeping, configuration.restore)
    let file = try RestoredFile(
      openingForWriting: path,
      now: now,
      vfs: configuration.vfs,
      into: collector,
      ProgressMeter(configuration.progress)
    )
    let verdict = HeadVerdict.judge(
      try HeadFile.read(path.head, on: configuration.disk),
      recovered: file.position,
      bootID: configuration.bootID
    )
    let found = try file.database(initial, from: collector, outcome: outcome, head: verdict)
    return (file, found)
  }

  /// Restores a value and lets go of the file; nothing is written, and commits are refused.
  ///
  /// While a writer is at work, what is read may be trimmed under the reading: then it is read again.
  func read<Database: DatabaseType>(
    _ initial: Database
  ) throws(PersistenceError) -> Opened<Database> {
    do {
      if try SetAside.isCutOff(path) {
        throw PersistenceError(
          .opening,
          path: path.file,
          .busy("moving its files was cut off by a crash; open it once for writing")
        )
      }
      var attempts = 5
      while true {
        attempts -= 1
        let access = try ReadAccess(path, on: configuration.disk)
        do {
          return try read(initial, access)
        } catch let error as DamageFound {
          guard access.manner == .live, attempts > 0 else { throw error }
        }
      }
    } catch {
      let error = PersistenceError(.opening, path: path.file, wrapping: error)
      throw PersistenceError(.opening, path: path.file, error.reason)
    }
  }

  private func read<Database: DatabaseType>(
    _ initial: Database,
    _ access: ReadAccess
  ) throws -> Opened<Database> {
    let collector = DatabaseCollector<Database>(path, keeping)
    let file = try RestoredFile(
      reading: access,
      at: path,
      into: collector,
      ProgressMeter(configuration.progress)
    )
    // A writer at work is ahead of what was read; it has judged the head when it opened.
    let verdict =
      access.manner == .live
      ? HeadVerdict.consistent
      : HeadVerdict.judge(
        try HeadFile.read(path.head, on: configuration.disk),
        recovered: file.position,
        bootID: configuration.bootID
      )
    let found = try file.database(initial, from: collector, outcome: .restored, head: verdict)
    let line = makeLine(after: file.revision, time: file.lastTime)
    line.refuseCommits()
    self.line = line
    return Opened(found: found, line: line)
  }
}
