import Foundation
import StrataBase
import StrataMigrations

/// What a list of migrations means for a store with a ledger, computed without access to the file.
struct MigrationSequence {
  /// The migrations of the list with their numbers.
  let list: [(number: Int, migration: DataMigration)]
  let ledger: [DataLedger.Entry]
  /// The migrations to run, in order.
  private(set) var pending: [(number: Int, migration: DataMigration)] = []
  /// All migrations, by their numbers.
  private(set) var entries: [MigrationStatus.Entry] = []
  /// The first thing that keeps a run from starting.
  private(set) var problem: DataMigrationError?

  /// The number of the last migration that ran; 0 if none did.
  var head: Int { ledger.last?.number ?? 0 }
  /// The number of the last migration of the list; 0 for an empty one.
  var last: Int { list.last?.number ?? 0 }

  /// - Throws: what is wrong with the list itself.
  init(_ migrations: [DataMigration], _ ledger: [DataLedger.Entry]) throws(DataMigrationError) {
    list = try Self.numbered(migrations)
    self.ledger = ledger
    compare()
  }

  /// The migrations with their numbers; a list is numbered 1, 2, 3 …, or starts with a squashed one.
  static func numbered(
    _ migrations: [DataMigration]
  ) throws(DataMigrationError) -> [(number: Int, migration: DataMigration)] {
    var list: [(number: Int, migration: DataMigration)] = []
    for migration in migrations {
      guard let number = migration.number else { throw .badName(migration.name) }
      if let same = list.first(where: { $0.number == number }) {
        throw .duplicate(number: number, names: [same.migration.name, migration.name])
      }
      let previous = list.last?.number ?? 0
      if number < previous, let last = list.last {
        throw .outOfOrder(migration.name, after: last.migration.name)
      }
      let start = migration.replaces?.lowerBound ?? number
      guard start == previous + 1, migration.replaces.map({ $0.upperBound == number }) ?? true
      else { throw .gap(expected: previous + 1, found: migration.name) }
      list.append((number, migration))
    }
    return list
  }

  private mutating func compare() {
    for row in ledger {
      let state: MigrationStatus.State
      let known = list.first {
        $0.number == row.number || $0.migration.replaces?.contains(row.number) ?? false
      }
      if row.number > last {
        state = .newer
      } else if let known {
        state = Self.isSame(known, row) ? .applied : .drifted
        if state == .drifted {
          note(
            .drifted(number: row.number, name: known.migration.name, appliedAs: row.name)
          )
        }
      } else {
        state = .missing
        note(.missing(number: row.number, name: row.name))
      }
      let isSquashed = known.map { $0.migration.replaces != nil && row.replaces == nil } ?? false
      entries.append(
        MigrationStatus.Entry(
          number: row.number,
          name: isSquashed ? row.name : known?.migration.name ?? row.name,
          form: DataMigration.Form(rawValue: row.form) ?? .baseline,
          state: state,
          isReversible: !isSquashed && known?.migration.isReversible ?? false,
          applied: AppliedMigration(row)
        )
      )
    }
    for (number, migration) in list where !ledger.contains(where: { $0.number == number }) {
      entries.append(
        MigrationStatus.Entry(
          number: number,
          name: migration.name,
          form: migration.form,
          state: .pending,
          isReversible: migration.isReversible
        )
      )
      if number < head {
        note(.outOfOrder(migration.name, after: ledger.last?.name ?? ""))
      } else if let replaced = migration.replaces, migration.up == nil || head > 0 {
        note(.tooOld(needs: replaced.upperBound, found: head, squashed: migration.name))
      }
      pending.append((number, migration))
    }
    entries.sort { $0.number < $1.number }
  }

  private mutating func note(_ problem: DataMigrationError) {
    if self.problem == nil { self.problem = problem }
  }

  /// Whether what ran is what is listed; a marker has no content to compare.
  private static func isSame(
    _ known: (number: Int, migration: DataMigration),
    _ row: DataLedger.Entry
  ) -> Bool {
    if let replaces = known.migration.replaces, row.replaces == nil {
      return replaces.contains(row.number)
    }
    guard let checksum = known.migration.checksum else { return known.migration.name == row.name }
    return checksum == row.checksum && known.migration.name == row.name
  }

  /// The migration of a number.
  func migration(_ number: Int) -> DataMigration? {
    list.first { $0.number == number }?.migration
  }
}

extension DataMigration {
  /// The checksum of its content; nil for a marker.
  var checksum: Checksum? { content.map { Checksum(of: $0) } }

  /// The row of a ledger for it.
  func ledgerEntry(
    _ number: Int,
    applied: Int64,
    duration: Int64 = 0,
    form: Form? = nil,
    revision: Revision,
    layout: Int64
  ) -> DataLedger.Entry {
    DataLedger.Entry(
      number: number,
      name: name,
      checksum: checksum ?? Checksum(of: Array(name.utf8)),
      applied: applied,
      duration: duration,
      form: (form ?? self.form).rawValue,
      script: script,
      revision: revision.number,
      layout: layout,
      replaces: replaces
    )
  }
}

extension AppliedMigration {
  init(_ row: DataLedger.Entry) {
    number = row.number
    name = row.name
    form = DataMigration.Form(rawValue: row.form) ?? .baseline
    checksum = row.checksum.description
    date = Date(microseconds: row.applied)
    duration = .microseconds(row.duration)
    script = row.script
    revision = Revision(row.revision)
    layout = row.layout
    replaces = row.replaces
  }
}

extension ReadView {
  /// Refuses a revision before a migration of the data, whose entities have another shape than those of this build.
  package func checkIsAfterMigrations(_ revision: Revision) throws {
    for row in try DataLedger.entries(on: journal.connection)
    where row.form != DataMigration.Form.baseline.rawValue && row.revision > revision.number {
      // A migration that changed nothing has no delta, and so no revision of its own.
      let header = try journal.headers(after: Revision(row.revision).previous, limit: 1).first?
        .header
      guard let header, header.name != "migration \(row.name)" else {
        throw PersistenceError.Reason.beforeMigration(row.name)
      }
    }
  }
}
