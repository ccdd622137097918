import Foundation
import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage

/// One run of migrations on a store: reading, then backup, one transaction, and a
/// snapshot.
struct MigrationRun {
  let migrations: [DataMigration]
  let store: OwnedStore
  let configuration: MigrationConfiguration

  var path: StorePath { store.path }
  var persistence: PersistenceConfiguration { store.configuration }

  /// What the ledger of the file says.
  struct Ledger {
    let sequence: MigrationSequence
    let marks: OlderBuildMarks
    let revision: Revision

    /// Whether a run goes through what older builds have written: a shorter list lacks migrations for it, and leaves
    /// it to a longer one.
    var bringsUpStragglers: Bool { !marks.isEmpty && sequence.last >= sequence.head }

    /// The migrations that ran and that a build has not known which has written since; one that only runs on what such
    /// builds write changes nothing else, so no record lacks it.
    var lackedByOlderBuilds: [(number: Int, migration: DataMigration)] {
      sequence.list.filter { number, migration in
        number <= sequence.head && marks.hasBuild(without: number) && migration.bringsUp.isEmpty
      }
    }
  }

  /// A migration to run, in one of the directions.
  struct Task {
    let number: Int
    let migration: DataMigration
    let step: DataMigration.Step
    /// Where it runs only on what older builds have written: the migration that those did not know, and since when.
    var stragglers: (of: Int, since: Revision)?

    /// The row of the ledger that goes, where it is taken back.
    var row: DataLedger.Entry?

    var records: MigrationWorkspace.Records {
      stragglers.map { .stragglers(of: $0.of) } ?? .all
    }

    /// What runs: a script for the way back has a name of its own.
    var script: String {
      guard row != nil else { return migration.name }
      return migration.form == .sql
        ? "\(migration.name).down" : "\(migration.name) (its way back)"
    }

    /// - Parameter declared: The declared columns that it has changed, as they were before.
    func trace(declared: [String: [DeclaredColumn]]) -> MigrationTrace {
      if let stragglers { return .stragglers(stragglers.of, since: stragglers.since) }
      if let row { return .down(number, .init(removed: [row], declared: declared)) }
      return .up(number, declared.isEmpty ? nil : .init(declared: declared))
    }
  }
}

/// Reading.
extension MigrationRun {
  /// Reads the ledger; changes nothing.
  func readLedger() throws -> Ledger { try Self.ledger(of: store.connect(), migrations) }

  /// The migrations that a run upwards would run, on all records or on those of older builds; O(migrations), and
  /// O(deltas) where an older build has written since the last one.
  func namesOfPending(_ ledger: Ledger) throws -> [String] {
    let pending = ledger.sequence.pending.map(\.migration.name)
    guard pending.isEmpty else { return pending }
    return try namesForStragglers(ledger, in: ReadView(store.connect()))
  }

  /// The migrations that a run would run on records of older builds.
  func namesForStragglers(_ ledger: Ledger, in view: ReadView) throws -> [String] {
    guard ledger.bringsUpStragglers else { return [] }
    let tables = Set(try Self.stragglers(ledger, in: view).keys)
    var names: [String] = []
    for (number, migration) in ledger.lackedByOlderBuilds {
      for (_, step) in ledger.sequence.steps(bringingUp: number, migration)
      where !names.contains(step.name) {
        let hasSome =
          step.perRecordTables.isEmpty
          ? !tables.isEmpty : !step.perRecordTables.isDisjoint(with: tables)
        if hasSome { names.append(step.name) }
      }
    }
    return names
  }

  static func ledger(
    of connection: Connection,
    _ migrations: [DataMigration]
  ) throws -> Ledger {
    let (entries, marks) = try connection.readTransaction {
      (try DataLedger.entries(on: connection), try OlderBuildMarks.read(connection))
    }
    let sequence = try MigrationSequence(migrations, entries)
    // A migration that ran, and whose row a disk has lost, would run again on what it has made.
    if !sequence.pending.isEmpty {
      try TracedRun.checkListed(entries, in: connection)
    }
    return Ledger(
      sequence: sequence,
      marks: marks,
      revision: try ReadView(connection).last.revision
    )
  }

  /// How many records builds have written that did not know all migrations, by table; those that are gone are counted
  /// too.
  ///
  /// O(deltas since the first of them).
  static func stragglers(_ ledger: Ledger, in view: ReadView) throws -> [String: Int] {
    let staging = try MigrationStaging()
    var numbers: [String: Int64] = [:]
    try forEachPut(after: ledger.marks, in: view) { known, table, id in
      let number = numbers[table] ?? Int64(numbers.count)
      numbers[table] = number
      try staging.noteWrite(of: id, in: number, byBuildKnowing: known)
    }
    let counts = try staging.stragglers(of: ledger.sequence.head)
    return numbers.compactMapValues { counts[$0] }
  }

  /// Goes through the records that were written since an older build opened the store, in the order of writing, with
  /// how many migrations their build knew.
  ///
  /// What runs of migrations have written, and what a revert has undone, is left out.
  static func forEachPut(
    after marks: OlderBuildMarks,
    in view: ReadView,
    _ body: (_ known: Int?, _ table: String, _ id: ArraySlice<UInt8>) throws -> Void
  ) throws {
    var openings = marks.openings[...]
    guard var revision = openings.first?.revision else { return }
    while true {
      let deltas = try view.journal.deltas(after: revision, upTo: 1 << 20)
      guard let last = deltas.last else { return }
      for delta in deltas where delta.header.revision <= view.last.revision {
        while let next = openings.dropFirst().first, next.revision < delta.header.revision {
          openings = openings.dropFirst()
        }
        guard let writer = openings.first?.writer, writer != .undone,
          MigrationTrace(of: delta.header) == nil
        else { continue }
        for number in 0..<delta.header.blocks {
          let place = "block \(number) of delta \(delta.header.revision)"
          let bytes =
            number == 0
            ? delta.body : try view.journal.block(number, of: delta.header.revision)
          guard let bytes else { throw CorruptionError("\(place) is missing") }
          let block = try ChangeBlock(bytes, of: place)
          for entry in block.entries {
            guard case .put = entry.change else { continue }
            try body(writer.known, block.table(of: entry), block.id(of: entry))
          }
        }
      }
      revision = last.header.revision
    }
  }
}
