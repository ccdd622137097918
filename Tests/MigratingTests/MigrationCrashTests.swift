import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMigrating
import StrataMigrations
import TestSupport
import Testing

/// Migrations in processes that are killed, that run at once, and on a full disk.
struct MigrationCrashTests {
  static let kills = loopCount("STRATA_MIGRATION_KILLS", 4)
  static let books = loopCount("STRATA_MIGRATED_BOOKS", 5_000)

  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func makeStore(at path: String, books count: Int = 300) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = LibraryStore(persistence)
    store.commit { state in
      for number in 1...count {
        state.db.books.insert(Book(id: EntityID(number), title: "title \(number)"))
      }
    }
    try await persistence.close()
  }

  /// How many of the migrations the titles show; nil if they do not agree.
  private func migrated(_ path: String) throws -> Int? {
    let titles = try Inspector(path: path).show(table: "books").compactMap {
      $0.value["title"]?.text
    }
    if titles.allSatisfy({ $0.hasSuffix(LibraryMigrations.mark) }) { return 2 }
    return titles.allSatisfy { !$0.contains("(") } ? 0 : nil
  }

  @Test
  func `migrations killed at any I/O have all run or none, and run to the end afterwards`()
    async throws
  {
    let original = directory.path("original.strata")
    try await makeStore(at: original)
    let whole = directory.path("whole.strata")
    try FileManager.default.copyItem(atPath: original, toPath: whole)
    let (code, lines) = try ChildProcess("ProductChild", [whole, "0", "migrate"]).finish()
    #expect(code == 0 && lines.first == "ran 2")
    let total = try #require(lines.last.flatMap { Int($0) })
    var outcomes: [Int: Int] = [:]
    for kill in 0..<min(Self.kills, total) {
      let path = directory.path("\(kill).strata")
      try FileManager.default.copyItem(atPath: original, toPath: path)
      let moment = total * (2 * kill + 1) / (2 * min(Self.kills, total))
      let child = try ChildProcess("ProductChild", [path, "0", "migrate", "\(moment)"])
      #expect(child.finish().code == SIGKILL, "kill \(kill) of \(total)")
      #expect(try Inspector(path: path).verify().isSound, "kill \(kill)")
      let ledger = try await DataMigrator(LibraryMigrations.all, at: path).history()
      let shown = try migrated(path)
      #expect(shown == ledger.count, "kill \(kill)")
      outcomes[ledger.count, default: 0] += 1
      let report = try await DataMigrator(LibraryMigrations.all, at: path).up()
      #expect(report.steps.count == 2 - ledger.count, "kill \(kill)")
      #expect(try migrated(path) == 2, "kill \(kill)")
      #expect(try Inspector(path: path).verify().isSound, "kill \(kill)")
    }
    printStatistics(
      """
      migrations killed at \(Self.kills) of \(total) I/Os: \(outcomes[0] ?? 0) before the commit, \
      \(outcomes[2] ?? 0) after it
      """
    )
    #expect(outcomes[0] != nil)
  }

  @Test(arguments: ["closure", "rows", "IDs"])
  func `a migration takes little memory for each record that it changes`(_ kind: String) throws {
    let path = directory.path("app.strata")
    let made = try ChildProcess("CrashChild", [path, "0", "books", "\(Self.books)"]).finish()
    #expect(made.code == 0)
    let (code, lines) = try ChildProcess("ProductChild", [path, "0", "migrated", kind]).finish()
    #expect(code == 0)
    let log = try Inspector(path: path).log(.last(1)).deltas
    #expect(log.first?.name.hasPrefix("migration 0001") == true)
    // Only some systems report it.
    guard let peak = lines.first.flatMap({ Int($0) }) else { return }
    printStatistics(
      "a migration (\(kind)) of \(Self.books) records: \(peak >> 20) MB beyond the idle process"
    )
    // The snapshot at the end gathers the keys of what has changed. A sanitizer has a memory of its own.
    if Self.books >= 100_000 { #expect(peak < (24 << 20) + 512 * Self.books) }
  }

  @Test
  func `of two processes that migrate at once each migration runs in one`() async throws {
    let path = directory.path("app.strata")
    try await makeStore(at: path, books: 2_000)
    let children = [
      try ChildProcess("ProductChild", [path, "0", "migrate"]),
      try ChildProcess("ProductChild", [path, "0", "migrate"]),
    ]
    let results = children.map { $0.finish().lines.first ?? "" }
    // One of them ran both; the other one was refused, or found them done.
    #expect(results.filter { $0 == "ran 2" }.count == 1, "\(results)")
    #expect(results.allSatisfy { ["ran 2", "ran 0", "refused"].contains($0) }, "\(results)")
    #expect(try migrated(path) == 2)
    #expect(try await DataMigrator(LibraryMigrations.all, at: path).history().count == 2)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk requires root on Linux"))
  func `a disk that fills up while a step runs leaves the store as it was`() async throws {
    let disk = try SmallDisk(megabytes: 4)
    let path = disk.path("app.strata")
    try await makeStore(at: path, books: 3_000)
    let before = try Inspector(path: path).info()
    let filler = disk.path("filler")
    let filling = DataMigration("0001_fill", table: "books") { book in
      if !FileManager.default.fileExists(atPath: filler) {
        // Writes until there is no room.
        let file = fopen(filler, "w")
        let block = [UInt8](repeating: 1, count: 1 << 16)
        while fwrite(block, 1, block.count, file) == block.count {}
        fclose(file)
      }
      book["title"] = .string("changed")
    }
    let error = await #expect(throws: PersistenceError.self) {
      try await DataMigrator([filling], at: path).up()
    }
    #expect(error?.reason == .diskFull)
    try FileManager.default.removeItem(atPath: filler)
    #expect(try Inspector(path: path).info().chain == before.chain)
    #expect(try Inspector(path: path).verify().isSound)
    #expect(try migrated(path) == 0)
    #expect(try await DataMigrator([filling], at: path).history().isEmpty)
    #expect(try await DataMigrator(LibraryMigrations.all, at: path).up().steps.count == 2)
  }

  @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk requires root on Linux"))
  func `on a full disk nothing is migrated, and everything once there is room`() async throws {
    let disk = try SmallDisk(megabytes: 2)
    let path = disk.path("app.strata")
    try await makeStore(at: path, books: 6_000)
    let filler = disk.path("filler")
    let migrator = DataMigrator(LibraryMigrations.all, at: path)
    let before = try Inspector(path: path).info()
    // Room for a start, and not for the whole run.
    var without = migrator
    without.configuration.backups = .none
    let free = try #require(
      try FileManager.default.attributesOfFileSystem(forPath: disk.directory.path)[.systemFreeSize]
        as? Int
    )
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    )
    #expect(FileManager.default.createFile(atPath: filler, contents: Data(count: free - size / 2)))
    let error = await #expect(throws: PersistenceError.self) { try await without.up() }
    guard case .notEnoughSpace? = error?.dataMigration else {
      Issue.record("\(error.map { "\($0)" } ?? "no error")")
      return
    }
    #expect(try migrated(path) == 0)
    #expect(try Inspector(path: path).info().chain == before.chain)
    try FileManager.default.removeItem(atPath: filler)
    try disk.remount("size=32m")
    #expect(try await migrator.up().steps.count == 2)
    #expect(try migrated(path) == 2)
    #expect(try Inspector(path: path).verify().isSound)
  }
}
