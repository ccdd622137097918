import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The data of a store is migrated, with the backup before and the snapshot after it.
struct DataMigrationScenario: FaultScenario {
  private let vfs: FaultVFS
  private let directory: TemporaryDirectory
  let path: String
  private let fault: DiskFault

  init(_ vfs: FaultVFS, _ fault: DiskFault) async throws {
    self.vfs = vfs
    self.fault = fault
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 1...40 {
        state.db.books.insert(Book(id: EntityID(number), title: "title \(number)"))
      }
    }
    try await persistence.close()
  }

  /// Migrates; the report, or nil where the run failed.
  func migrate() async throws -> MigrationReport? {
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    let migrator = DataMigrator(LibraryMigrations.all, at: path, persistence: configuration)
    do {
      return try await migrator.up()
    } catch {
      #expect(vfs.failureCount > 0, "\(error)")
      return nil
    }
  }

  func run(_ place: String) async throws {
    let report = try await migrate()
    vfs.heal()
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: 1, into: after.url)
    if FileManager.default.fileExists(atPath: after.path("app.strata")) {
      // A run that has returned was synced.
      let ran = try await check(after.path("app.strata"), "\(place), cut")
      if report != nil { #expect(ran == 2, "\(place), cut") }
    }
    let ran = try await check(path, place)
    switch report {
    case .some(let report):
      #expect(ran == 2 && report.steps.count == 2, "\(place)")
      #expect(vfs.failureCount > 0 || report.notes.isEmpty, "\(place): \(report.notes)")
    case nil:
      // A write that fails is before the end of the transaction; only a failed sync leaves the end unknown.
      if fault == .noRoom || fault == .shortWrite { #expect(ran == 0, "\(place)") }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    for name in names
    where name.hasPrefix("app.strata.before-") && Int(name.dropFirst(18)) != nil {
      #expect(try Inspector(path: directory.path(name)).verify().isSound, "\(place): \(name)")
    }
    var configuration = PersistenceConfiguration()
    configuration.bootID = UUID()
    let again = try await DataMigrator(LibraryMigrations.all, at: path, persistence: configuration)
      .up()
    #expect(again.steps.count == 2 - ran, "\(place)")
    #expect(again.notes.isEmpty, "\(place): \(again.notes)")
    #expect(try await check(path, place) == 2, "\(place)")
  }

  /// Checks that all of the migrations have run or none; returns how many.
  func check(_ path: String, _ place: String) async throws -> Int {
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "\(place): \(verification)")
    let ran = try await DataMigrator(LibraryMigrations.all, at: path).history().count
    let books = try Inspector(path: path).show(table: "books")
    let titles = books.map { $0.value["title"]?.text ?? "" }
    #expect(titles.count == 40, "\(place)")
    let marked = titles.filter { $0.hasSuffix(LibraryMigrations.mark) }.count
    #expect(marked == (ran == 2 ? 40 : 0), "\(place)")
    #expect(ran == 0 || ran == 2, "\(place)")
    return ran
  }
}
