import Foundation
import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage

/// What the calls of a migrator do, on the thread of a worker.
extension DataMigrator {
  /// Runs a closure with the file of the path, whose writer's lock is held meanwhile.
  func withLock<R>(_ work: (MigrationRun) throws -> R) throws -> R {
    let path = try StorePath(path, for: .migrating)
    return try OwnedStore.hold(path, for: .migrating, persistence) { store in
      try work(
        MigrationRun(migrations: migrations, store: store, configuration: configuration)
      )
    }
  }

  func run(_ direction: MigrationReport.Direction, to number: Int?) throws -> MigrationReport {
    try withLock { try $0.run(direction, to: number) }
  }

  /// Reads the store beside a writer, if there is one.
  func withReader<R>(_ work: (Connection) throws -> R) throws -> R {
    let path = try StorePath(path, for: .migrating)
    let access = try ReadAccess(path, for: .migrating, on: persistence.disk)
    return try work(access.connection)
  }

  func readStatus() throws -> MigrationStatus {
    try withReader { connection in
      let ledger = try MigrationRun.ledger(of: connection, migrations)
      return MigrationStatus(
        entries: ledger.sequence.entries,
        revision: ledger.revision,
        problem: ledger.sequence.problem
      )
    }
  }

  /// Runs a closure with a migrator for a copy of the store, which is removed afterwards.
  func runOnCopy<R>(_ work: (DataMigrator) throws -> R) throws -> R {
    let path = try StorePath(path, for: .migrating)
    let access = try ReadAccess(path, for: .migrating, on: persistence.disk)
    try MigrationRun.checkIsNotOlder(
      migrations,
      than: access.connection,
      at: path,
      on: persistence.disk
    )
    return try ScratchStore.with(copyOf: path, access.connection) { scratch in
      var migrator = DataMigrator(
        migrations,
        at: scratch.path.file,
        configuration: configuration,
        persistence: persistence
      )
      migrator.useScratch()
      return try work(migrator)
    }
  }

  /// Runs on a copy; where a migration fails, with what those before it did and why it failed.
  func runPlan(
    _ direction: MigrationReport.Direction,
    to number: Int?
  ) throws -> (report: MigrationReport, failure: PersistenceError?) {
    try runOnCopy { migrator in
      let steps = Lock<[MigrationReport.Step]>([])
      var migrator = migrator
      migrator.configuration.ran = { step in steps.withLock { $0.append(step) } }
      let revision = try migrator.readStatus().revision
      do {
        return (try migrator.run(direction, to: number), nil)
      } catch {
        let reason = PersistenceError(.migrating, path: path, wrapping: error).reason
        let failure = PersistenceError(.migrating, path: path, reason)
        // Of the disk of the copy.
        guard failure.dataMigration != nil, failure.kind != .disk else { throw error }
        let ran = steps.withLock { $0 }
        let report = MigrationReport(
          direction: direction,
          steps: ran,
          before: revision,
          after: ran.last { $0.revision != nil }?.revision ?? revision
        )
        return (report, failure)
      }
    }
  }

  /// Sets what a run on a copy needs: nothing is kept, and a loss does not stop it.
  mutating func useScratch() {
    configuration.backups = .none
    configuration.findings = .report
    persistence.vfs = nil
    persistence.watch = nil
  }

  /// Runs each pending migration up, and where it can be taken back, down and up again.
  ///
  /// Throws `.refused` with all losses that are not allowed, on either way.
  func runTest() throws -> MigrationReport {
    let sequence = try withReader { try MigrationRun.ledger(of: $0, migrations).sequence }
    if let problem = sequence.problem { throw problem }
    var all = MigrationReport(direction: .up, before: 0, after: 0)
    var refusals: [String: [MigrationFinding]] = [:]
    for (index, (number, migration)) in sequence.pending.enumerated() {
      let report = try run(.up, to: number)
      if index == 0 { all.before = report.before }
      all.after = report.after
      all.duration += report.duration
      all.steps += report.steps
      refusals.merge(report.refusals) { $0 + $1 }
      if migration.isReversible {
        refusals.merge(try run(.down, to: number - 1).refusals) { $0 + $1 }
        _ = try run(.up, to: number)
      }
      let verification = try Inspector(path: path).verify()
      if let failed = verification.checks.first(where: { !$0.passed }) {
        throw CorruptionError("after \(migration.name): \(failed.name): \(failed.detail)")
      }
    }
    if !refusals.isEmpty { throw DataMigrationError.refused(refusals) }
    return all
  }

  func noteBaseline(at number: Int) throws -> [AppliedMigration] {
    try changeLedger { sequence, session in
      guard sequence.migration(number) != nil else {
        throw DataMigrationError.unknownNumber(number)
      }
      return sequence.pending.filter { $0.number <= number }.map { number, migration in
        migration.ledgerEntry(
          number,
          applied: persistence.now().microseconds,
          form: .baseline,
          revision: session.written.revision,
          layout: session.catalog.last
        )
      }
    }.map { AppliedMigration($0) }
  }

  func findRepairs() throws -> [MigrationRepair] {
    try withReader { connection in
      let ledger = try MigrationRun.ledger(of: connection, migrations)
      return try Self.repaired(ledger.sequence).map(\.repair)
    }
  }

  func writeRepairs() throws -> [MigrationRepair] {
    var repairs: [MigrationRepair] = []
    try changeLedger { sequence, _ in
      let repaired = try Self.repaired(sequence)
      repairs = repaired.map(\.repair)
      return repaired.map(\.entry)
    }
    return repairs
  }

  /// - Throws: `.renumbered` and `.notRun` for a migration that has the number of another one: it has not run.
  private static func repaired(
    _ sequence: MigrationSequence
  ) throws(DataMigrationError) -> [(entry: DataLedger.Entry, repair: MigrationRepair)] {
    let drifted = Set(sequence.entries.filter { $0.state == .drifted }.map(\.number))
    let rows = sequence.ledger.filter { drifted.contains($0.number) }
    for row in rows { if let error = sequence.other(than: row) { throw error } }
    return rows.compactMap { row in
      guard let migration = sequence.migration(row.number) else { return nil }
      var entry = row
      entry.name = migration.name
      entry.checksum = migration.checksum ?? row.checksum
      // What was noted without running stays so.
      if row.form != DataMigration.Form.baseline.rawValue { entry.form = migration.form.rawValue }
      entry.script = migration.script
      let repair = MigrationRepair(
        number: row.number,
        names: [row.name, entry.name],
        checksums: [row.checksum.description, entry.checksum.description],
        script: row.script
      )
      return (entry, repair)
    }
  }

  /// Writes rows of the ledger, and changes nothing else.
  @discardableResult
  private func changeLedger(
    _ rows: (MigrationSequence, WriterSession) throws -> [DataLedger.Entry]
  ) throws -> [DataLedger.Entry] {
    try withLock { run in
      var file = try run.store.restore()
      let session = try run.store.makeSession(&file, start: .withTransaction)
      var written: [DataLedger.Entry] = []
      try session.transaction {
        let sequence = try MigrationSequence(
          migrations,
          DataLedger.entries(on: session.connection)
        )
        written = try rows(sequence, session)
        for row in written { try DataLedger.replace(row, on: session.connection) }
      }
      try session.barrier()
      try session.close()
      return written
    }
  }
}
