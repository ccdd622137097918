package import StrataJournal
package import StrataSQLite
import StrataSchema
package import StrataStorage

/// The migrations that an opening runs before it reads a file.
package struct MigrationPreparation: FilePreparation {
  package let migrations: [DataMigration]
  private let policy: MigrationConfiguration.Policy

  package init(
    _ migrations: [DataMigration],
    _ policy: MigrationConfiguration.Policy = .automatic
  ) {
    self.migrations = migrations
    self.policy = policy
  }

  package var isNeeded: Bool { !migrations.isEmpty }

  /// Runs the migrations that are pending.
  package func prepare(
    _ store: OwnedStore,
    reading read: (any EntitySource, ReadView) throws -> Void
  ) throws -> MigrationReport? {
    if migrations.isEmpty { return nil }
    let configuration = store.configuration.migrations
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
    return report
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
    let isOlder = known < head && policy != .external
    let before = try OlderBuildMarks.read(session.connection)
    var marks = before
    marks.add(isOlder ? .olderBuild(knowing: known) : .currentBuild, after: session.written)
    guard marks != before else { return }
    try session.transaction { try marks.write(to: session.connection) }
  }
}
