import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// The journal restores the committed state at every revision.
struct RestoreLawTests {
  /// The number of sequences; sanitizer runs take fewer.
  static let sequences =
    loopCount("STRATA_SEQUENCES", 400)

  @Test
  func `the journal restores the state of every revision, whatever was committed`() async throws {
    let directory = try TemporaryDirectory()
    let base = randomSeed()
    for sequence in 0..<UInt64(Self.sequences) {
      let seed = base &+ sequence
      let path = directory.path("law.strata")
      let states = try await commits(seed: seed, to: path)
      let inspector = try Inspector(path: path)
      for (revision, state) in states.enumerated() {
        let restored = try inspector.database(
          over: LibraryDatabase(),
          at: Revision(Int64(revision))
        )
        #expect(restored == state, "seed \(seed), revision \(revision)")
      }
      for suffix in ["", ".head", ".lock"] {
        try FileManager.default.removeItem(atPath: path + suffix)
      }
    }
  }

  /// Commits a random number of steps of the script; returns the database at every revision.
  private func commits(seed: UInt64, to path: String) async throws -> [LibraryDatabase] {
    var random = SeededGenerator(seed: seed)
    let script = LibraryScript(seed: seed)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    var states = [store.state.db]
    for number in 1...Int64.random(in: 2...12, using: &random) {
      store.commit { state in
        script.commit(number, to: &state.db)
        // Sometimes a whole earlier database is put back.
        if number % 5 == 0, let old = states.randomElement(using: &random) {
          state.db = old
          state.db.authors.insert(Author(id: "clock", name: "\(number) again"))
        }
      }
      states.append(store.state.db)
    }
    try await persistence.close()
    return states
  }
}
