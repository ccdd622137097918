import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The files of a store are moved to quarantine and back together, whenever the process stops.
struct QuarantineTests {
  private static let time = Date(timeIntervalSince1970: 1_790_000_000)

  /// More steps than there are.
  private static let steps = 0...9

  @Test(arguments: steps)
  func `a salvage that stops after any step is completed by the next opening`(
    steps: Int
  ) async throws {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision = 45")
    let before = try Data(contentsOf: URL(fileURLWithPath: damaged.path))
    let path = try StorePath(damaged.path, for: .opening)
    let salvage = Salvage(path, now: Self.time)
    _ = try #require(try salvage.build())
    var moving = try salvage.makeMove(because: "a test")
    for _ in 0..<steps { _ = try moving.step() }

    // After the first step, `.strict` completes the move too.
    let persistence = try await damaged.open(steps == 0 ? .bestEffort : .strict)
    #expect(persistence.initialState.db == damaged.model(at: 44))
    #expect(try Inspector(path: damaged.path).info().lineages.count == 2)
    try await persistence.close()
    let sets = try Quarantine.all(besideStoreAt: damaged.path)
    #expect(sets.count == 1)
    let set = try #require(sets.first)
    #expect(try contentsOfFiles(in: set.directory)["app.strata"] == before)
    #expect(try contentsOfFiles(in: set.directory)["app.strata.head"] != nil)
  }

  @Test
  func `what was set aside comes back, in exchange for what is there by then`() async throws {
    let damaged = try await DamagedStore()
    let original = try StoreBytes(damaged.path)
    let set = try Quarantine.add(
      storeAt: damaged.path,
      reason: "to start afresh",
      now: Self.time
    )
    #expect(set.reason == "to start afresh")
    #expect(set.directory.hasSuffix("app.strata.damaged-20260921T141320Z"))
    let fresh = try await damaged.open(.strict)
    #expect(fresh.report.outcome == .fresh)
    LibraryStore(fresh).commit { $0.db.books.insert(Book(id: 1, title: "fresh")) }
    try await fresh.close()

    try set.restore(now: Self.time)
    let files = try contentsBesideSets(of: damaged)
    #expect(files == original.files)
    let again = try await damaged.open(.strict)
    #expect(again.initialState.db == damaged.model(at: 50))
    try await again.close()

    // The fresh store can be restored in turn.
    let exchanged = try #require(try Quarantine.all(besideStoreAt: damaged.path).first)
    #expect(exchanged.directory.hasSuffix("app.strata.set-aside-20260921T141320Z"))
    try exchanged.restore(now: Self.time)
    let second = try await damaged.open(.strict)
    #expect(second.initialState.db.books.count == 1)
    try await second.close()
    #expect(throws: PersistenceError.self) { try set.restore() }
  }

  @Test(arguments: steps)
  func `putting back that stops after any step is completed by the next opening`(
    steps: Int
  ) async throws {
    let damaged = try await DamagedStore()
    let set = try Quarantine.add(storeAt: damaged.path, reason: "a test", now: Self.time)
    let fresh = try await damaged.open(.strict)
    try await fresh.close()
    var returning = try set.makeRestore(now: Self.time)
    for _ in 0..<steps { _ = try returning.step() }
    let persistence = try await damaged.open(.strict)
    let expected: Revision = steps == 0 ? 0 : 50
    #expect(persistence.revision == expected)
    #expect(persistence.initialState.db == damaged.model(at: expected))
    try await persistence.close()
  }

  @Test
  func `a store that a writer has is not set aside`() async throws {
    let damaged = try await DamagedStore()
    let persistence = try await damaged.open(.strict)
    let error = #expect(throws: PersistenceError.self) {
      try Quarantine.add(storeAt: damaged.path, reason: "a test")
    }
    guard case .alreadyOpen = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    try await persistence.close()
  }

  @Test
  func `a store that is not there is not set aside`() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: PersistenceError.self) {
      try Quarantine.add(storeAt: directory.path("app.strata"), reason: "a test")
    }
    #expect(error?.reason == .missing)
    #expect(try Quarantine.all(besideStoreAt: directory.path("app.strata")).isEmpty)
  }

  private func contentsBesideSets(of store: DamagedStore) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path) {
      let path = store.directory.path(name)
      guard !name.contains(".damaged-"), !name.contains(".set-aside-"), !name.hasSuffix(".lock"),
        !name.hasSuffix("-shm")
      else { continue }
      files[name] = try Data(contentsOf: URL(fileURLWithPath: path))
    }
    return files
  }
}
