package import StrataJournal
package import StrataSQLite
import StrataSchema
public import StrataStorage

/// The migrations that an opening runs before it reads a file.
public struct MigrationPreparation: FilePreparation {
  package let migrations: [DataMigration]
  package let known: KnownMigrations
  private let configuration: MigrationConfiguration

  package init(
    _ migrations: [DataMigration],
    _ configuration: MigrationConfiguration = MigrationConfiguration()
  ) {
    self.migrations = migrations
    self.configuration = configuration
    known = .through(migrations.last?.number ?? 0)
  }

  /// For a program whose migrations something else runs before it starts.
  package static var external: MigrationPreparation { MigrationPreparation() }

  private init() {
    (migrations, configuration, known) = ([], MigrationConfiguration(), .external)
  }

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
    if configuration.policy == .refuseIfPending { try ledger.sequence.checkIsDone() }
    if let problem = ledger.sequence.problem { throw problem }
    if ledger.sequence.pending.isEmpty { return nil }
    let report = try run.run(.up, to: nil, ledger) { source, view in
      try read(source, view)
      return true
    }
    if let name = report.stoppedBefore { throw DataMigrationError.needsProgram(name) }
    return PreparedFile(end: report.after, report: report)
  }

  /// Checks that none is pending.
  package func check(_ connection: Connection) throws {
    if migrations.isEmpty { return }
    try MigrationRun.ledger(of: connection, migrations).sequence.checkIsDone()
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
}
