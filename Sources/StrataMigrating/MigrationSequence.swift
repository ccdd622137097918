import Foundation
import StrataBase
import StrataJournal
import StrataSchema
import StrataStorage

/// What a list of migrations means for a store with a ledger, computed without access to the file.
struct MigrationSequence {
  typealias Numbered = (number: Int, migration: DataMigration)

  /// The migrations of the list with their numbers.
  let list: [Numbered]
  let ledger: [DataLedger.Entry]
  /// The migrations to run, in order.
  private(set) var pending: [Numbered] = []
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
    do throws(DataMigrationError) {
      list = try Self.numbered(migrations)
    } catch {
      // A number that the list lacks and that has run says more than the gap does.
      guard case .gap(let expected, _) = error,
        let row = ledger.first(where: { $0.number == expected })
      else { throw error }
      let renumbered = migrations.first { $0.isRenumbered(row) }
      throw renumbered.map { .renumbered($0.name, ranAs: row.name) }
        ?? .missing(number: row.number, name: row.name)
    }
    self.ledger = ledger
    compare()
  }

  /// The migrations with their numbers; a list is numbered 1, 2, 3 …, or starts with a squashed one.
  static func numbered(
    _ migrations: [DataMigration]
  ) throws(DataMigrationError) -> [Numbered] {
    var list: [Numbered] = []
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
      let known = list.first { $0.migration.numbers(as: $0.number).contains(row.number) }
      let state = state(of: row, known)
      switch (state, known) {
      case (.drifted, let known?):
        note(
          other(than: row)
            ?? .drifted(number: row.number, name: known.migration.name, appliedAs: row.name)
        )
      case (.missing, _): note(.missing(number: row.number, name: row.name))
      default: break
      }
      // A row that the list has only as a part of a squashed migration keeps its name.
      var listed = known.flatMap { $0.number == row.number ? $0.migration : nil }
      if !row.isSquashed, listed?.isSquashed ?? false { listed = nil }
      entries.append(
        MigrationStatus.Entry(
          number: row.number,
          name: listed?.name ?? row.name,
          form: DataMigration.Form(rawValue: row.form) ?? .baseline,
          state: state,
          isReversible: !row.isSquashed && listed?.isReversible ?? false,
          applied: AppliedMigration(row)
        )
      )
    }
    for (number, migration) in list where !ledger.contains(where: { $0.number == number }) {
      let applied = hasRun(migration.numbers(as: number)) ? row(with: number) : nil
      entries.append(
        MigrationStatus.Entry(
          number: number,
          name: migration.name,
          form: migration.form,
          state: applied == nil ? .pending : .applied,
          isReversible: applied == nil && migration.isReversible,
          applied: applied.map { AppliedMigration($0) }
        )
      )
      if applied != nil { continue }
      if let replaced = migration.replaces, migration.up == nil || head > 0 {
        note(.tooOld(needs: replaced.upperBound, found: head, squashed: migration.name))
      } else if number < head {
        note(.outOfOrder(migration.name, after: ledger.last?.name ?? ""))
      }
      pending.append((number, migration))
    }
    entries.sort { $0.number < $1.number }
  }

  private mutating func note(_ problem: DataMigrationError) {
    if self.problem == nil { self.problem = problem }
  }

  /// Refuses a store on which a migration is pending, or that does not fit the list.
  func checkIsDone() throws(DataMigrationError) {
    if let problem { throw problem }
    if !pending.isEmpty { throw .pending(pending.map(\.migration.name)) }
  }

  /// What is known of a row of the ledger, with the migration of the list that its number belongs to.
  private func state(
    of row: DataLedger.Entry,
    _ known: Numbered?
  ) -> MigrationStatus.State {
    if row.number > last { return .newer }
    guard let known else { return .missing }
    // Where one of them is squashed the numbers decide: what ran under them is not listed any more, or not noted.
    if row.isSquashed || known.migration.isSquashed { return .applied }
    // A marker has no content to compare.
    let isSame = known.migration.checksum.map { $0 == row.checksum } ?? true
    return isSame && known.migration.name == row.name ? .applied : .drifted
  }

  /// The row that says that a number ran: its own, or that of a squashed migration.
  private func row(with number: Int) -> DataLedger.Entry? {
    ledger.first { $0.numbers.contains(number) }
  }

  /// Whether all numbers of a range ran.
  private func hasRun(_ numbers: ClosedRange<Int>) -> Bool {
    var number = numbers.lowerBound
    while let row = row(with: number) {
      if row.numbers.upperBound >= numbers.upperBound { return true }
      number = row.numbers.upperBound + 1
    }
    return false
  }

  /// What is wrong if the migration with the number of a row is another one, which has not run; nil if it is the one that
  /// ran, edited or renamed.
  func other(than row: DataLedger.Entry) -> DataMigrationError? {
    guard let migration = migration(row.number), migration.name != row.name,
      migration.checksum != row.checksum
    else { return nil }
    if let renumbered = list.first(where: { $0.migration.isRenumbered(row) }) {
      return .renumbered(renumbered.migration.name, ranAs: row.name)
    }
    return .notRun(migration.name, number: row.number, ran: row.name)
  }

  /// The migration of a number.
  func migration(_ number: Int) -> DataMigration? {
    list.first { $0.number == number }?.migration
  }
}

extension DataLedger.Entry {
  var isSquashed: Bool { replaces != nil }
}

extension DataMigration {
  var isSquashed: Bool { replaces != nil }

  /// Whether it is the script that ran under the number of a row, which is not its own.
  fileprivate func isRenumbered(_ row: DataLedger.Entry) -> Bool {
    form == .sql && number != row.number && checksum == row.checksum
  }

  /// The checksum of its content; nil for a marker.
  var checksum: Checksum? { content.map { Checksum(of: $0) } }

  /// The row of a ledger for it.
  func ledgerEntry(
    _ number: Int,
    applied: Int64,
    duration: Int64 = 0,
    form: Form? = nil,
    revision: Revision,
    layout: Int64,
    renames: [DataLedger.Rename] = []
  ) -> DataLedger.Entry {
    DataLedger.Entry(
      number: number,
      name: name,
      checksum: checksum ?? Checksum(of: Array(name.utf8)),
      applied: applied,
      duration: duration,
      form: (form ?? self.form).rawValue,
      isReversible: isReversible,
      script: script,
      revision: revision.number,
      layout: layout,
      replaces: replaces,
      renames: renames
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
