import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A process killed while it trims leaves one unbroken run of deltas, and the store can be opened again.
struct TrimKillTests {
  static let kills = loopCount("STRATA_TRIMS", 4)
  private static let commits: Int64 = 6_000

  @Test
  func `a trim killed at any moment leaves a contiguous run`() async throws {
    let directory = try TemporaryDirectory()
    let image = directory.path("image.strata")
    let seed = randomSeed()
    try await makeImage(at: image, seed)
    let model = LibraryScript(seed: seed).database(after: Self.commits)
    let whole = try copy(of: image, in: directory, "whole")
    let (code, lines) = try ChildProcess("CrashChild", [whole, "\(seed)", "trim"]).finish()
    #expect(code == 0)
    let counts = lines.compactMap { Int($0) }
    let (opened, over) = try (#require(counts.first), #require(counts.last))
    var untouched = 0
    var partly = 0
    for kill in 0..<Self.kills {
      let path = try copy(of: image, in: directory, "\(kill)")
      // Spread over the I/Os of the snapshot, the trimming and the vacuum.
      let moment = opened + (over - opened) * (2 * kill + 1) / (2 * Self.kills)
      let child = try ChildProcess("CrashChild", [path, "\(seed)", "trim", "\(moment)"])
      #expect(child.finish().code == SIGKILL, "seed \(seed), kill \(kill)")

      let verification = try Inspector(path: path).verify()
      #expect(verification.isSound, "seed \(seed), kill \(kill): \(verification)")
      let first = try Inspector(path: path).info().journal.first ?? 0
      if first == 1 { untouched += 1 }
      if (2...Self.commits - 500).contains(first) { partly += 1 }
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      #expect(persistence.initialState.db == model, "seed \(seed), kill \(kill)")
      try await persistence.close()
      for suffix in ["", "-wal", "-shm", ".head", ".lock"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    printStatistics(
      """
      trims killed at \(Self.kills) of \(over - opened) I/Os: \(untouched) before the first slice, \
      \(partly) between two; seed \(seed)
      """
    )
    // Some kills must happen half-way through the trim.
    #expect(partly > 0 || Self.kills < 100, "seed \(seed)")
  }

  private func copy(
    of image: String,
    in directory: TemporaryDirectory,
    _ name: String
  ) throws -> String {
    let path = directory.path("trimmed-\(name).strata")
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: image + suffix, toPath: path + suffix)
    }
    return path
  }

  /// A long journal that the next writer, with another policy, finds due for a snapshot and trimming.
  private func makeImage(at path: String, _ seed: UInt64) async throws {
    let script = LibraryScript(seed: seed)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        durability: .onFlush,
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      )
    )
    let store = LibraryStore(persistence)
    for number in 1...Self.commits {
      store.commit { script.commit(number, to: &$0.db) }
      if number == Self.commits - 300 { try await persistence.snapshot(named: "anchor") }
    }
    try await persistence.close()
  }
}
