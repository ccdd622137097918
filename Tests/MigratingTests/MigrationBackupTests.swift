import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataRecords
import StrataSQLite
import TestSupport
import Testing

/// The backups that runs of migrations make, and what is left where one fails.
struct MigrationBackupTests {
  let directory: TemporaryDirectory
  let path: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    try await FiveReleases.makeFirst(at: path)
  }

  private func backups() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
      .filter { $0.hasPrefix("app.strata.before-") && !$0.hasSuffix(".lock") }.sorted()
  }

  private struct Mistake: Error {}

  private let touch = DataMigration("0001_touch", table: "users") { $0["age"] = .integer(1) }
  private let failing = DataMigration("0001_touch", table: "users") { _ in throw Mistake() }

  /// Files with the names of copies of later revisions, the second one made last.
  private func addLaterCopies(_ revisions: Int...) throws {
    for (index, revision) in revisions.enumerated() {
      let file = directory.path("app.strata.before-\(revision)")
      try Data("not read".utf8).write(to: URL(fileURLWithPath: file))
      let time = Date(timeIntervalSince1970: 1_700_000_000 + Double(index))
      try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file)
    }
  }

  @Test
  func `the backup of a run stays, whatever the revisions of older ones`() async throws {
    // A store that was restored from a backup has smaller revisions than the copies of its later life.
    try addLaterCopies(92, 91, 90)
    let report = try await DataMigrator([touch], at: path).up()
    #expect(report.backup == "\(path).before-1")
    #expect(try backups() == [1, 90, 91].map { "app.strata.before-\($0)" })
    #expect(try Inspector(path: "\(path).before-1").verify().isSound)
  }

  @Test
  func `a run that fails leaves no more backups than others`() async throws {
    try addLaterCopies(90, 91, 92, 93)
    await #expect(throws: PersistenceError.self) {
      try await DataMigrator([failing], at: path).up()
    }
    #expect(try backups() == [90, 91, 92, 93].map { "app.strata.before-\($0)" })
  }

  @Test
  func `a run that fails or is refused leaves every file as it was`() async throws {
    let lost = DataMigration("0001_lost", table: "users") { $0.remove("city") }
    let large = DataMigration("0001_large") { tables in
      // More than SQLite keeps in memory, so that pages of the transaction are in the WAL.
      let text = RecordValue.string(String(repeating: "x", count: 40_000))
      for number in 0..<400 {
        let id = RecordValue.string("\(number)")
        try tables.put(MigrationRecord(table: "texts", id: id, [.init("text", text)]))
      }
      try tables.remove(id: .string("u1"), from: "users")
    }
    try FileManager.default.removeItem(atPath: "\(path).lock")
    let before = try files()
    for migration in [failing, lost, large] {
      for _ in 1...2 {
        await #expect(throws: PersistenceError.self) {
          try await DataMigrator([migration], at: path).up()
        }
        #expect(try files() == before, "\(migration.name)")
      }
    }
    await #expect(throws: PersistenceError.self) {
      try await DataMigrator([touch], at: path).baseline(at: 7)
    }
    #expect(try files() == before)
  }

  /// The files of the directory by their names.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.url.path) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: directory.path(name)))
    }
    return files
  }

  @Test
  func `a backup is used again if it is intact`() async throws {
    // The copy of a run whose end is not known stays.
    try FileManager.default.copyItem(atPath: path, toPath: "\(path).before-1")
    for _ in 1...2 {
      await #expect(throws: PersistenceError.self) {
        try await DataMigrator([failing], at: path).up()
      }
      #expect(try backups() == ["app.strata.before-1"])
    }
    try RawSQLite.run("UPDATE delta SET name = 'forged'", on: "\(path).before-1")
    let report = try await DataMigrator([touch], at: path).up()
    #expect(report.backup == "\(path).before-1-2")
    #expect(try backups() == ["app.strata.before-1", "app.strata.before-1-2"])
    #expect(try Inspector(path: "\(path).before-1-2").verify().isSound)
  }

  @Test
  func `an error of a temporary file is not taken for damage of the store`() async throws {
    let step = DataMigration("0001_temporary") { _ in
      throw SQLiteError(code: .corrupt, operation: .step, message: "a page", path: "")
    }
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator([step], at: path).up()
    }
    guard case .temporaryFile? = error?.reason else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(error?.description.contains("TMPDIR") == true)
  }
}
