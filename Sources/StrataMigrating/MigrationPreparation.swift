package import StrataJournal
package import StrataSQLite
package import StrataSchema
public import StrataStorage

/// The migrations that an opening runs before it reads a file.
public struct MigrationPreparation: FilePreparation {
  package let migrations: [DataMigration]
  private let configuration: MigrationConfiguration

  package init(
    _ migrations: [DataMigration],
    _ configuration: MigrationConfiguration = MigrationConfiguration()
  ) {
    self.migrations = migrations
    self.configuration = configuration
  }

  package var feature: FeatureRow.Name { .migrations }

  package var isNeeded: Bool { !migrations.isEmpty }

  /// Runs the migrations that are pending.
  package func prepare(
    _ store: OwnedStore,
    reading read: (any EntitySource, ReadView) throws -> Void
  ) throws -> PreparedFile? {
    if migrations.isEmpty { return nil }
    let run = MigrationRun(
      migrations: migrations,
      store: store,
      configuration: configuration
    )
    let ledger = try run.readLedger()
    let sequence = ledger.sequence
    if let problem = sequence.problem { throw problem }
    if sequence.pending.isEmpty, !ledger.bringsUpStragglers { return nil }
    if configuration.policy == .refuseIfPending {
      let pending = try run.namesOfPending(ledger)
      if !pending.isEmpty { throw DataMigrationError.pending(pending) }
    }
    let report = try run.run(.up, to: nil, ledger) { source, view in
      try read(source, view)
      return true
    }
    if let name = report.stoppedBefore { throw DataMigrationError.needsProgram(name) }
    return PreparedFile(end: report.after, report: report)
  }

  package func unknownChanges(
    in view: ReadView,
    tables: Set<String>,
    _ configuration: PersistenceConfiguration,
    at path: StorePath
  ) throws -> UnknownChanges? {
    let known = migrations.last?.number ?? 0
    try view.checkTablesAreThere(tables, knowing: known, configuration, at: path)
    if self.configuration.policy == .external { return nil }
    return try view.newerMigrations(than: known, configuration, at: path)
  }

  package func readEarlierState<R>(
    at revision: Revision,
    of view: ReadView,
    at path: StorePath,
    _ configuration: PersistenceConfiguration,
    _ body: (ReadView) throws -> R
  ) throws -> R? {
    let earlier = try EarlierState(at: revision, of: view, migrations, at: path, configuration)
    return try earlier?.read(from: view, body)
  }

  /// Checks that none is pending.
  package func check(_ connection: Connection) throws {
    if migrations.isEmpty { return }
    let sequence = try MigrationRun.ledger(of: connection, migrations).sequence
    if let problem = sequence.problem { throw problem }
    if !sequence.pending.isEmpty {
      throw DataMigrationError.pending(sequence.pending.map(\.migration.name))
    }
  }

  package func pending(in connection: Connection) throws -> [String] {
    try MigrationRun.ledger(of: connection, migrations).sequence.pending.map(\.migration.name)
  }

  /// Notes all as applied: a new store has the shape that they lead to.
  package func note(inNew connection: Connection, time: Int64, layout: Int64) throws {
    for (number, migration) in try MigrationSequence.numbered(migrations) {
      try DataLedger.append(
        migration.ledgerEntry(
          number,
          applied: time,
          form: .baseline,
          revision: 0,
          layout: layout
        ),
        on: connection
      )
    }
  }

  /// Notes that a build has opened the store that knows fewer migrations than ran on it: what it writes does not
  /// have the new shape.
  ///
  /// After such a mark, an opening by any other build is noted too. With the policy `.external` a build knows all.
  package func noteOpening(in session: WriterSession) throws {
    let ledger = try DataLedger.entries(on: session.connection)
    guard let head = ledger.last?.number else { return }
    let known = migrations.last?.number ?? 0
    let isOlder = known < head && configuration.policy != .external
    let before = try OlderBuildMarks.read(session.connection)
    var marks = before
    marks.add(isOlder ? .olderBuild(knowing: known) : .currentBuild, after: session.written)
    guard marks != before else { return }
    try session.transaction { try marks.write(to: session.connection) }
  }
}

extension ReadView {
  /// The migrations that ran on the file and that a build whose list ends at a number lacks; nil if it lacks none.
  fileprivate func newerMigrations(
    than number: Int,
    _ configuration: PersistenceConfiguration,
    at path: StorePath
  ) throws -> UnknownChanges? {
    try newer(rows(after: number), configuration, at: path)
  }

  private func rows(after number: Int) throws -> [DataLedger.Entry] {
    try DataLedger.entries(on: journal.connection).filter { $0.number > number }
  }

  private func newer(
    _ rows: [DataLedger.Entry],
    _ configuration: PersistenceConfiguration,
    at path: StorePath
  ) throws -> UnknownChanges? {
    guard let first = rows.first else { return nil }
    let backup = try MigrationBackup(path: path, disk: configuration.disk)
      .newest(before: Revision(first.revision), in: self)
    let names = rows.map(\.name)
    let way = backup.map { ", or restore \($0)" } ?? ""
    return UnknownChanges(
      names: names,
      note: """
        a newer build has migrated this store, and this one lacks \(names.joined(separator: ", ")): a field or table \
        that they have renamed reads as missing or as its default, and what this build writes has the old shape until a \
        newer one opens the store; use the newer build\(way)
        """
    ) { .dataMigration(.olderBuild(lacks: names, detail: $0, backup: backup)) }
  }

  /// Refuses a build that has tables which a migration has renamed or dropped that it lacks: they would be empty.
  ///
  /// The ledger decides. A table that is gone by a migration of the build's own list may come back with its next
  /// release.
  fileprivate func checkTablesAreThere(
    _ names: Set<String>,
    knowing number: Int,
    _ configuration: PersistenceConfiguration,
    at path: StorePath
  ) throws {
    guard configuration.unknownTables == .refuse else { return }
    let gone = listed.filter { $0.until != nil && names.contains($0.name) }
    if gone.isEmpty { return }
    let rows = try rows(after: number)
    let ended = gone.filter { table in
      !tables.contains(table.name) && rows.contains { Revision($0.revision) == table.until }
    }
    guard let table = ended.first, let newer = try newer(rows, configuration, at: path) else {
      return
    }
    let names = ended.map(\.name).joined(separator: ", ")
    throw newer.refusal(
      """
      the \(ended.count == 1 ? "table" : "tables") \(names) of this build \(ended.count == 1 ? "was" : "were") \
      renamed or dropped, first at revision \(table.until ?? table.since), and would be empty
      """
    )
  }
}
