import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// A killed process loses no acknowledged commit, and never one before another that survives.
@Suite(.serialized)
struct KillTests {
  /// The number of kills; sanitizer runs take fewer.
  static let kills = loopCount("STRATA_KILLS", 20)

  @Test
  func `after each SIGKILL the store is the model at a revision not before the last flush`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("killed.strata")
    let seed = randomSeed()
    let modes = ["grouped", "everyCommit", "onFlush"]
    var random = SeededGenerator(seed: seed)
    var model = Model(seed: seed)
    var snapshots = 0
    for kill in 0..<Self.kills {
      let child = try ChildProcess("CrashChild", [path, "\(seed)", modes[kill % 3]])
      _ = child.lines(atLeast: Int.random(in: 1...8, using: &random))
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<20_000, using: &random)))
      let acknowledged = try #require(lastAcknowledged(child.kill()), "seed \(seed)")

      let inspector = try Inspector(path: path)
      let info = try inspector.info()
      let revision = Revision(info.revision)
      snapshots = max(snapshots, info.snapshots.count)
      #expect(revision >= acknowledged, "seed \(seed), kill \(kill)")
      let verification = try inspector.verify()
      #expect(verification.isSound, "seed \(seed), kill \(kill): \(verification)")
      let restored = try inspector.database(over: LibraryDatabase(), at: revision)
      #expect(restored == model.advance(to: revision), "seed \(seed), kill \(kill)")
    }
    let each = modes.indices.map { mode in
      "\((0..<Self.kills).count { $0 % 3 == mode }) under \(modes[mode])"
    }
    printStatistics("\(Self.kills) kills: \(each.joined(separator: ", ")); seed \(seed)")
    // With many kills, some happen during snapshots and trimming.
    #expect(snapshots > 1 || Self.kills < 100)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(persistence.initialState.db == model.database)
    try await persistence.close()
  }

  @Test
  func `a commit of 300,000 entities survives a SIGKILL once it was flushed`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("bulk.strata")
    let child = try ChildProcess("CrashChild", [path, "1", "bulk"])
    _ = child.lines(atLeast: 1)
    let acknowledged = try #require(lastAcknowledged(child.kill()))
    #expect(acknowledged >= 1)

    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let books = persistence.initialState.db.books
    #expect(books[EntityID(1_000_000)] == bulkBook(0))
    #expect(books[EntityID(999_999 + bulkCount)] == bulkBook(bulkCount - 1))
    #expect(books.count { $0.id.raw >= 1_000_000 } == bulkCount)
    try await persistence.close()
  }

  private func lastAcknowledged(_ lines: [String]) -> Revision? {
    lines.last.flatMap { Int64($0.dropFirst("acknowledged ".count)) }.map { Revision($0) }
  }

  /// The database that the script makes, commit by commit, without a file.
  private struct Model {
    let script: LibraryScript
    var database = LibraryDatabase()
    var revision: Revision = 0

    init(seed: UInt64) { script = LibraryScript(seed: seed) }

    mutating func advance(to target: Revision) -> LibraryDatabase {
      while revision < target {
        revision = revision.next
        script.commit(revision.number, to: &database)
      }
      return database
    }
  }
}
