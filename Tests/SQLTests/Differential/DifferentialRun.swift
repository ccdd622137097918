import Foundation
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQL
import StrataScripts
import StrataStorage
import TestSupport

/// A sample as a file, and what each side has made of it.
///
/// The store is made once; each run works on a copy of its files.
struct DifferentialRun {
  /// What a migration has made of a store.
  enum Stored {
    case finished(StoredContents, MigrationReport)
    /// The reason, without the hint of what to do; the store is as it was.
    case failed(String)
    /// It failed, and has changed the store.
    case broken(String)
  }

  /// What plain SQLite has made of the same tables.
  enum Plain {
    case finished(PlainTables)
    case failed(PlainTables.Failure)
  }

  private let directory: TemporaryDirectory
  private let path: String
  private let exported: String
  /// The records before.
  let before: StoredContents
  /// The rows before.
  let tables: PlainTables

  init(_ sample: DifferentialSample) async throws {
    directory = try TemporaryDirectory()
    path = directory.path("sample.strata")
    exported = directory.path("exported.sqlite")
    try await sample.write(to: path)
    _ = try StoreExport(path: path, at: .head(back: 0)).write(toDatabase: exported)
    before = try StoredContents(of: path)
    tables = try PlainTables(exported: exported)
  }

  func plain(_ scripts: [[ScriptStatement]]) throws -> Plain {
    var tables = try PlainTables(exported: exported)
    do {
      for script in scripts { try tables.run(script) }
      return .finished(tables)
    } catch let failure as PlainTables.Failure {
      return .failed(failure)
    }
  }

  /// Runs scripts as migrations, with every permission or with none.
  func stored(
    _ scripts: [String],
    _ findings: MigrationConfiguration.Findings = .report
  ) async throws -> Stored {
    let copy = try TemporaryDirectory()
    let path = copy.path("sample.strata")
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    where name.hasPrefix("sample.strata") && !name.hasSuffix(".lock") {
      try FileManager.default.copyItem(atPath: directory.path(name), toPath: copy.path(name))
    }
    do {
      let migrations = try scripts.enumerated().map { index, sql in
        try DataMigration("000\(index + 1)_script", sql: sql)
      }
      var migrator = DataMigrator(migrations, at: path)
      migrator.configuration.backups = .none
      migrator.configuration.findings = findings
      let report = try await migrator.up()
      return .finished(try StoredContents(of: path), report)
    } catch let error as PersistenceError {
      var reason = "\(error)"
      if case .failed(_, let detail)? = error.dataMigration { reason = detail }
      let isUnchanged = try StoredContents(of: path).tables == before.tables
      return isUnchanged ? .failed(reason) : .broken(reason)
    } catch let error as SQLMigrationError {
      return .failed("\(error)")
    }
  }
}
