import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataSQL
import StrataSQLite
import TestSupport
import Testing

/// A fork is what a copy of every page would have been at that time.
struct ForkLawTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path, users: 3)
  }

  /// Scripts in which tables and columns come, are renamed, and go.
  private static func steps(_ random: inout SeededGenerator) throws -> [DataMigration] {
    var tables: [String] = []
    return try (1...7).map { number in
      let sql: String
      switch (Int.random(in: 0..<5, using: &random), tables.randomElement(using: &random)) {
      case (0, let table?):
        tables.removeAll { $0 == table }
        sql = "-- strata:allow destructive(\(table))\nDROP TABLE \(table)"
      case (1, let table?):
        tables.removeAll { $0 == table }
        tables.append("renamed\(number)")
        sql = "ALTER TABLE \(table) RENAME TO renamed\(number)"
      case (2, _): sql = "ALTER TABLE notes ADD COLUMN c\(number) INTEGER DEFAULT \(number)"
      case (3, _): sql = "UPDATE users SET name = name || '\(number)'"
      default:
        tables.append("made\(number)")
        sql = """
          CREATE TABLE made\(number) (id TEXT PRIMARY KEY, planted\(number) TEXT);
          INSERT INTO made\(number) VALUES ('x', 'y');
          """
      }
      return try DataMigration("000\(number)_step", sql: sql)
    }
  }

  /// Rows by their texts; a table at most lists what is kept there of a later time.
  private struct Contents {
    let same: [String: [String]]
    let layouts: Set<String>
    let origins: Set<String>

    init(_ path: String) throws {
      let connection = try Connection(path: path, mode: .readOnly)
      func rows(_ query: String) throws -> [String] {
        try connection.all(query, []) { row in
          try (0..<row.count).map { "\(try row.value($0))" }.joined(separator: "|")
        }.sorted()
      }
      var same: [String: [String]] = [:]
      for table in [
        "feature", "entity_table", "declared_column", "erasure", "delta", "delta_part", "snapshot",
        "listing", "snapshot_name", "chunk",
      ] { same[table] = try rows("SELECT * FROM \(table)") }
      same["migration"] = try rows("SELECT * FROM migration WHERE kind = 1")
      // Of tables that the file has, a fork keeps later layouts.
      same["tables of layouts"] = try rows(
        "SELECT DISTINCT entity_table FROM layout WHERE entity_table NOT IN (SELECT name FROM entity_table)"
      )
      self.same = same
      layouts = Set(try rows("SELECT * FROM layout"))
      origins = Set(try rows("SELECT * FROM origin"))
      try connection.close()
    }
  }

  @Test func `a fork has the rows that the file had at its revision`() async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let steps = try Self.steps(&random)
    var copies: [(revision: Revision, path: String)] = []
    func copy() throws {
      let copy = directory.path("copy-\(copies.count).strata")
      copies.append((try StoreBackup.copyBlocking(path, to: copy).revision, copy))
    }
    try copy()
    for count in 1...steps.count {
      try await DataMigrator(Array(steps.prefix(count)), at: path).up()
      try copy()
    }
    for (revision, copy) in copies {
      let fork = directory.path("fork-\(revision).strata")
      try await StoreBackup.fork(path, at: .revision(revision), to: fork)
      let (expected, found) = (try Contents(copy), try Contents(fork))
      for (table, rows) in expected.same {
        #expect(found.same[table] == rows, "\(table) at \(revision), seed \(seed)")
      }
      #expect(found.layouts.isSuperset(of: expected.layouts), "\(revision), seed \(seed)")
      #expect(found.origins.isSuperset(of: expected.origins), "\(revision), seed \(seed)")
      #expect(try Inspector(path: fork).verify().isSound, "\(revision), seed \(seed)")
    }
  }
}
