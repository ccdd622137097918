import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A damaged store under `.bestEffort`: what can be verified is restored, the rest is reported and kept.
struct BestEffortTests {
  @Test(
    arguments: [
      ("UPDATE delta SET name = 'else' WHERE revision = 47", 46, 40),
      ("DELETE FROM delta WHERE revision = 45", 44, 40),
      ("UPDATE delta SET body = zeroblob(length(body)) WHERE revision = 41", 40, 40),
    ] as [(String, Int64, Int64)]
  )
  func `a broken run of deltas is restored up to the break`(
    sql: String,
    last: Int64,
    snapshot: Int64
  ) async throws {
    let damaged = try await DamagedStore()
    try damaged.damage(sql)
    let before = try Data(contentsOf: URL(fileURLWithPath: damaged.path))

    let persistence = try await damaged.open(.bestEffort)
    #expect(persistence.initialState.db == damaged.model(at: Revision(last)))
    let report = persistence.report
    #expect(report.outcome == .restoredWithLoss)
    #expect(report.revision == Revision(last))
    #expect(report.snapshotRevision == Revision(snapshot))
    let lineages = try Inspector(path: damaged.path).info().lineages
    #expect(lineages.map(\.reason) == [.created, .salvaged])
    #expect(report.position.lineageID == lineages.last?.id)
    let loss = try #require(report.loss)
    #expect(loss.revisions == Revision(last + 1)...50)
    #expect(loss.damage?.isEmpty == false)
    let set = try #require(loss.quarantine)
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: set.directory + "/app.strata")) == before
    )
    #expect(set.files.contains("app.strata.head"))

    // The store continues from there, and the next opening reports nothing.
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 999, title: "after")) }
    try await persistence.close()
    #expect(try Inspector(path: damaged.path).verify().isSound)
    let again = try await damaged.open(.strict)
    #expect(again.report.outcome == .restored)
    #expect(again.report.notes.isEmpty)
    #expect(again.revision == Revision(last + 1))
    #expect(again.report.position.storeID == report.position.storeID)
    try await again.close()
  }

  @Test
  func `a broken newest snapshot and a gap after the older one leave what is before the gap`()
    async throws
  {
    let damaged = try await DamagedStore()
    try damaged.damage(
      SnapshotDamage.clearing(ownChunksOf: "40"),
      "DELETE FROM delta WHERE revision = 31"
    )
    let refusal = await #expect(throws: PersistenceError.self) {
      _ = try await damaged.open(.strict)
    }
    // Both are reported: the damage of the newest snapshot, and the gap.
    #expect(refusal?.description.contains("snapshot 40") == true)
    #expect(refusal?.description.contains("no delta between revisions 30 and 32") == true)

    let persistence = try await damaged.open(.bestEffort)
    #expect(persistence.initialState.db == damaged.model(at: 30))
    #expect(persistence.report.loss?.revisions == 31...50)
    try await persistence.close()
    let inspector = try Inspector(path: damaged.path)
    #expect(try inspector.verify().isSound)
    #expect(try inspector.info().snapshots.map(\.names) == [["older"]])
  }

  @Test
  func `a broken newest snapshot costs nothing while the deltas since an older one are there`()
    async throws
  {
    let damaged = try await DamagedStore()
    try damaged.damage(
      "UPDATE chunk SET hash = zeroblob(16) WHERE \(SnapshotDamage.ownChunks(of: "40"))"
    )
    let persistence = try await damaged.open(.bestEffort)
    #expect(persistence.initialState.db == damaged.model(at: 50))
    #expect(persistence.report.outcome == .restored)
    #expect(persistence.report.loss == nil)
    #expect(try Inspector(path: damaged.path).info().lineages.count == 1)
    try await persistence.close()
    #expect(try Quarantine.all(besideStoreAt: damaged.path).isEmpty)
  }

  @Test
  func `a lost acknowledged end is reported by its revisions`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision > 48")
    await #expect(throws: PersistenceError.self) { _ = try await damaged.open(.strict) }
    let persistence = try await damaged.open(.bestEffort)
    #expect(persistence.initialState.db == damaged.model(at: 48))
    #expect(persistence.report.loss?.revisions == 49...50)
    try await persistence.close()
    let again = try await damaged.open(.strict)
    #expect(again.revision == 48)
    try await again.close()
  }

  @Test
  func `named snapshots that are whole go along`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision IN (10, 45)")
    let persistence = try await damaged.open(.bestEffort)
    try await persistence.close()
    let inspector = try Inspector(path: damaged.path)
    #expect(try inspector.info().snapshots.map(\.names) == [["newest"], ["older"]])
    #expect(
      try inspector.database(over: LibraryDatabase(), at: 20) == damaged.model(at: 20)
    )
  }

  @Test(arguments: [
    "DELETE FROM snapshot", "DELETE FROM store",
    "UPDATE chunk SET body = zeroblob(length(body))",
    "UPDATE layout SET body = zeroblob(length(body))",
  ])
  func `where nothing can be verified it throws and every byte stays`(sql: String) async throws {
    let damaged = try await DamagedStore()
    try damaged.damage(sql)
    if sql.contains("zeroblob") {
      try damaged.damage("DELETE FROM snapshot WHERE revision = 0")
    }
    let before = try StoreBytes(damaged.path)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await damaged.open(.bestEffort)
    }
    guard case .damaged(let damage) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(damage.hasSuffix("; RestorePolicy.bestEffort found nothing that it can restore"))
    #expect(try StoreBytes(damaged.path) == before)
  }

  @Test
  func `a table that the file does not list any more is damage, not a new table`() async throws {
    let damaged = try await DamagedStore()
    try RawSQLite.runAndRecomputeHashes(
      "UPDATE entity_table SET name = 'bookt' WHERE name = 'books'",
      on: damaged.path
    )
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await damaged.open(.strict)
    }
    #expect(error?.description.contains("books") == true)
    let persistence = try await damaged.open(.bestEffort)
    #expect(persistence.initialState.db == damaged.model(at: 50))
    #expect(persistence.report.loss?.revisions == nil)
    try await persistence.close()
  }

  /// The first seed once changed a key so that a row from outside the range was salvaged too.
  @Test(arguments: [3_276_025_373, randomSeed()])
  func `no flipped bit is ever restored as something that never was`(seed: UInt64) async throws {
    let damaged = try await DamagedStore()
    let image = try Data(contentsOf: URL(fileURLWithPath: damaged.path))
    let head = try Data(contentsOf: URL(fileURLWithPath: damaged.path + ".head"))
    let deltas = try damaged.placesOfLastDeltas(in: image)
    var random = SeededGenerator(seed: seed)
    var outcomes: [RestoreReport.Outcome: Int] = [:]
    var refused = 0
    let flips = loopCount("STRATA_FLIPS", 200) / 4
    for flip in 0..<flips {
      var flipped = image
      // Every fourth flip is in a delta after the newest snapshot, so that something is lost.
      let isInDelta = flip % 4 == 0
      let place =
        isInDelta
        ? deltas.randomElement(using: &random)!.randomElement(using: &random)!
        : Int.random(in: image.indices, using: &random)
      flipped[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      for name in try FileManager.default.contentsOfDirectory(atPath: damaged.directory.url.path) {
        try FileManager.default.removeItem(atPath: damaged.directory.path(name))
      }
      try flipped.write(to: URL(fileURLWithPath: damaged.path))
      try head.write(to: URL(fileURLWithPath: damaged.path + ".head"))
      do {
        let persistence = try await damaged.open(.bestEffort)
        let report = persistence.report
        outcomes[report.outcome, default: 0] += 1
        let context = "seed \(seed), flip \(flip): \(report)"
        #expect(persistence.initialState.db == damaged.model(at: report.revision), "\(context)")
        #expect(report.revision == 50 || report.outcome == .restoredWithLoss, "\(context)")
        #expect(!isInDelta || report.outcome == .restoredWithLoss, "\(context)")
        try await persistence.close()
        let verification = try Inspector(path: damaged.path).verify()
        if report.outcome == .restoredWithLoss {
          #expect(verification.isSound, "\(context) \(verification)")
        }
      } catch {
        refused += 1
        #expect(!isInDelta, "seed \(seed), flip \(flip): \(error)")
      }
    }
    printStatistics(
      """
      \(flips) flipped bits under best effort: \(outcomes[.restored, default: 0]) restored whole, \
      \(outcomes[.restoredWithLoss, default: 0]) up to the damage, \(refused) refused; seed \(seed)
      """
    )
  }
}
