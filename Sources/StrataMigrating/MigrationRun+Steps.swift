import Foundation
import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage

/// Running.
extension MigrationRun {
  /// Runs what is to run in a direction.
  ///
  /// When this throws, the file is as it was. After an error of the disk at the very end of the transaction all of it
  /// may have been done instead; the ledger shows which.
  ///
  /// - Parameters:
  ///   - known: the ledger, if the caller has read it under the lock.
  ///   - read: decodes the result before it takes effect, and throws what is wrong with it; returns false if the caller
  ///     has no types to decode it with.
  func run(
    _ direction: MigrationReport.Direction,
    to number: Int?,
    _ known: Ledger? = nil,
    reading read: (any EntitySource, ReadView) throws -> Bool = { _, _ in false }
  ) throws -> MigrationReport {
    let clock = ContinuousClock()
    let start = clock.now
    let ledger = try known ?? readLedger()
    if ledger.sequence.head > ledger.sequence.last {
      try Self.checkIsNotOlder(migrations, than: store.connect(), at: path, on: persistence.disk)
    }
    var report = MigrationReport(
      direction: direction,
      before: ledger.revision,
      after: ledger.revision
    )
    let (tasks, stoppedBefore) = try tasks(direction, to: number, ledger.sequence)
    report.stoppedBefore = stoppedBefore
    if tasks.isEmpty { return report }
    try write(&report) { session, view, lastTime, report in
      let workspace = try MigrationWorkspace(view, session)
      try run(tasks, direction, to: number, ledger, lastTime, workspace, &report)
      report.isDecoded = try check(workspace, view, read)
    }
    report.duration = clock.now - start
    return report
  }

  /// Resets the data and the ledger to their contents at a revision, as one delta.
  ///
  /// It throws as ``run(_:to:_:)`` does.
  func revert(to revision: Revision) throws -> MigrationReport {
    let clock = ContinuousClock()
    let start = clock.now
    let ledger = try readLedger()
    var report = MigrationReport(
      direction: .down,
      before: ledger.revision,
      after: ledger.revision
    )
    try write(&report) { session, view, lastTime, _ in
      let then = try view.state(at: revision)
      let connection = session.connection
      let columns = try DeclaredColumn.all(at: revision, in: connection)
      let isOther =
        try columns != view.columns
        || DataLedger.entries(at: revision.number, on: connection) != ledger.sequence.ledger
      let workspace = try MigrationWorkspace(view, session)
      try workspace.revert(to: revision)
      let tables = view.tables(at: revision)
      for table in tables.union(workspace.tables).sorted() {
        try workspace.restore(table, from: then)
      }
      var difference = MigrationDifference(workspace)
      let trace = MigrationTrace.revert(to: revision)
      _ = try session.append(
        named: trace.name(),
        trace: trace.bytes,
        time: max(persistence.now().microseconds, lastTime),
        isOther ? .always : .ifNotEmpty
      ) { try difference.encode(into: &$0) }
      let now = session.written.revision
      for table in tables.subtracting(view.tables).sorted() {
        try ListedTable.add(table, since: revision, to: connection)
      }
      for table in view.listed where table.since > revision && view.tables.contains(table.name) {
        try ListedTable.end(table.name, at: now, in: connection)
      }
      try DataLedger.revert(to: revision.number, at: now.number, on: connection)
      let grouped = Dictionary(grouping: columns, by: \.table)
      for table in Set(grouped.keys).union(view.columns.map(\.table)) {
        try DeclaredColumn.replace(grouped[table] ?? [], of: table, at: now, in: connection)
      }
    }
    report.duration = clock.now - start
    return report
  }

  /// The migrations to run, and the one before which the run stops.
  private func tasks(
    _ direction: MigrationReport.Direction,
    to number: Int?,
    _ sequence: MigrationSequence
  ) throws(DataMigrationError) -> (tasks: [MigrationSequence.Numbered], stoppedBefore: String?) {
    if let problem = sequence.problem { throw problem }
    var tasks: [MigrationSequence.Numbered] = []
    var stoppedBefore: String?
    switch direction {
    case .up:
      if let number, sequence.migration(number) == nil { throw .unknownNumber(number) }
      for (next, migration) in sequence.pending where next <= number ?? .max {
        if migration.up == nil {
          if tasks.isEmpty { throw .needsProgram(migration.name) }
          stoppedBefore = migration.name
          break
        }
        tasks.append((next, migration))
      }
    case .down:
      let last = number ?? sequence.head - 1
      if let number, number < 0 || number > 0 && sequence.migration(number) == nil {
        throw .unknownNumber(number)
      }
      for row in sequence.ledger.reversed() where row.number > last {
        guard !row.isSquashed, let migration = sequence.migration(row.number),
          migration.down != nil
        else { throw .notReversible(row.name) }
        tasks.append((row.number, migration))
      }
    }
    for (_, migration) in tasks where migration.emptyScripts.contains(direction) {
      throw .noStatement(migration.name(direction))
    }
    return (tasks, stoppedBefore)
  }

  /// Runs the tasks in the transaction of the session.
  private func run(
    _ planned: [MigrationSequence.Numbered],
    _ direction: MigrationReport.Direction,
    to number: Int?,
    _ ledger: Ledger,
    _ lastTime: Int64,
    _ workspace: MigrationWorkspace,
    _ report: inout MigrationReport
  ) throws {
    let session = workspace.session
    // Read again under the write lock: what was read before decides nothing.
    let now = try MigrationSequence(migrations, DataLedger.entries(on: session.connection))
    var tasks = planned
    if now.ledger != ledger.sequence.ledger {
      tasks = try self.tasks(direction, to: number, now).tasks
    }
    for (index, task) in tasks.enumerated() {
      let (step, renames) = try run(
        task,
        direction,
        lastTime,
        workspace,
        (index + 1, tasks.count)
      )
      report.steps.append(step)
      configuration.ran?(step)
      switch direction {
      case .up:
        try DataLedger.append(
          task.migration.ledgerEntry(
            task.number,
            applied: persistence.now().microseconds,
            duration: Int64(step.duration / .microseconds(1)),
            revision: session.written.revision,
            layout: session.catalog.last,
            renames: renames
          ),
          on: session.connection
        )
      case .down:
        try DataLedger.end(
          task.number,
          at: session.written.revision.number,
          takenBack: renames,
          on: session.connection
        )
      }
    }
    if configuration.findings == .refuse, !report.refusals.isEmpty {
      throw DataMigrationError.refused(report.refusals)
    }
  }

  /// Lets the caller read the result in the transaction of the run.
  ///
  /// - Throws: `.unreadable`, with the step that has changed the record last, where the caller refuses what a step has
  ///   made; what the caller throws otherwise.
  private func check(
    _ workspace: MigrationWorkspace,
    _ view: ReadView,
    _ read: (any EntitySource, ReadView) throws -> Bool
  ) throws -> Bool {
    do {
      return try read(
        MigrationResult(workspace),
        view.adding(workspace.tables, workspace.session.catalog)
      )
    } catch {
      let reason = PersistenceError(.migrating, path: path.file, wrapping: error).reason
      switch reason {
      case .undecodable(let table, let id, _):
        // One that no step has changed did not fit before either.
        guard let step = try workspace.lastStep(changing: id, of: table) else { throw error }
        throw DataMigrationError.unreadable([step], detail: reason.sentence)
      case .ruleBroken where !workspace.namesOfSteps.isEmpty:
        throw DataMigrationError.unreadable(workspace.namesOfSteps, detail: reason.sentence)
      default: throw error
      }
    }
  }

  private func run(
    _ task: MigrationSequence.Numbered,
    _ direction: MigrationReport.Direction,
    _ lastTime: Int64,
    _ workspace: MigrationWorkspace,
    _ place: (index: Int, count: Int)
  ) throws -> (MigrationReport.Step, [DataLedger.Rename]) {
    let name = task.migration.name
    let session = workspace.session
    let clock = ContinuousClock()
    let start = clock.now
    let progress = configuration.progress
    let tables = MigrationTables(workspace) { records in
      progress?(
        MigrationProgress(migration: name, index: place.index, count: place.count, records: records)
      )
    }
    progress?(
      MigrationProgress(migration: name, index: place.index, count: place.count, records: 0)
    )
    workspace.startStep(sealing: task.migration.seals)
    let (listed, fields) = (workspace.tables, tables.fields)
    var difference = MigrationDifference(workspace)
    let header: DeltaHeader?
    do {
      try task.migration.step(direction)?(tables)
      // One without changes tells a follower of the row in the ledger.
      let trace: MigrationTrace = direction == .up ? .up(task.number) : .down(task.number)
      header = try session.append(
        named: trace.name(of: name),
        trace: trace.bytes,
        time: max(persistence.now().microseconds, lastTime),
        .always
      ) { try difference.encode(into: &$0) }
    } catch {
      throw Self.error(error, in: task.migration, direction)
    }
    try noteTables(besides: listed, difference.reports, workspace)
    if task.migration.form != .sql { try workspace.noteFieldsLeft(by: difference) }
    let hasChangedColumns = workspace.shapes.hasOtherColumns
    try workspace.writeColumns()
    var step = MigrationReport.Step(
      number: task.number,
      name: name,
      form: task.migration.form,
      tables: difference.reports,
      findings: difference.findings + tables.findings
    )
    if header?.entities ?? 0 == 0, !hasChangedColumns, try hasRecords(task.migration, workspace) {
      step.findings.append(
        MigrationFinding(.noEffect, detail: "it changes nothing, although there are records")
      )
    }
    step.allow(task.migration.allowances + tables.allowances, among: listed.union(workspace.tables))
    (step.added, step.declared) = try tables.changes(since: fields)
    step.bytes = header?.bytes ?? 0
    step.revision = header?.revision
    let renames = difference.allRenames()
    try workspace.keepStaged(of: name)
    step.duration = clock.now - start
    return (step, renames)
  }

  /// Lists the tables that a step has added, and ends those that it has renamed or dropped.
  private func noteTables(
    besides listed: Set<String>,
    _ reports: [MigrationTableReport],
    _ workspace: MigrationWorkspace
  ) throws {
    let session = workspace.session
    for table in workspace.tables.subtracting(listed).sorted() {
      try ListedTable.add(
        table,
        since: session.written.revision,
        renamedFrom: reports.first { $0.table == table && $0.renamedFrom != nil }?.renamedFrom,
        to: session.connection
      )
    }
    for table in try workspace.endLeftTables() {
      try ListedTable.end(table, at: session.written.revision, in: session.connection)
    }
  }

  /// Whether there are records that the migration could have changed.
  private func hasRecords(
    _ migration: DataMigration,
    _ workspace: MigrationWorkspace
  ) throws -> Bool {
    let tables = migration.tables.isEmpty ? workspace.tables : migration.tables
    return try tables.contains { table in
      var scan = workspace.scan(table)
      return try scan.next() != nil
    }
  }

  /// An error of a step: what is wrong with the file or the disk is that, anything else is the step's failure.
  private static func error(
    _ error: any Error,
    in migration: DataMigration,
    _ direction: MigrationReport.Direction
  ) -> any Error {
    switch error {
    case is DataMigrationError, is PersistenceError, is PersistenceError.Reason, is SQLiteError,
      is CorruptionError, is SystemError:
      error
    case let error as MigrationStepError where error.isOfIDs && direction == .down:
      DataMigrationError.idsNotReversible(migration.name, detail: error.description)
    default: DataMigrationError.failed(migration.name(direction), detail: "\(error)")
    }
  }
}

extension MigrationReport.Step {
  /// Marks the findings that the migration allows, and says of the others what would allow them.
  fileprivate mutating func allow(_ allowances: [MigrationAllowance], among tables: Set<String>) {
    for (index, finding) in findings.enumerated() {
      findings[index].isAllowed = allowances.contains { $0.covers(finding, among: tables) }
      guard findings[index].isRefused else { continue }
      let permission = MigrationAllowance(finding.kind, finding.table, finding.field)
      findings[index].permission =
        form == .sql ? "-- strata:allow \(permission)" : permission.swift
    }
  }
}

extension MigrationWorkspace {
  /// Makes a table what it was in another state of the file, whose last layout is in use again.
  fileprivate func restore(_ table: String, from state: EntityState) throws {
    var scan = state.scan(table)
    var (then, now) = (Peekable { try scan.next() }, before(table))
    var last: Int64 = 0
    while let id = (try then.peek()?.id).orEarlier(try now.peek()?.id) {
      let wanted = try then.next { $0.id == id }
      if let wanted { last = max(last, wanted.layout) }
      if try now.next(if: { $0.id == id }) == wanted { continue }
      if let wanted {
        try put(wanted, as: wanted.layout)
      } else {
        try clear(Array(id), in: table, .removed)
      }
    }
    guard last > 0, case let layout = try layout(last), !layout.isOfSealedRecords else { return }
    try resume(table, with: layout)
  }
}
