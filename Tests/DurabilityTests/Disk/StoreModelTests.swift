import TestSupport
import Testing

/// Random events in the life of a store, compared with a model: everything acknowledged is there, and only
/// what was committed.
struct StoreModelTests {
  static let runs = loopCount("STRATA_LIVES", 6)

  @Test
  func `in any order of events the file is the model, not before what was acknowledged`()
    async throws
  {
    let first = randomSeed()
    for seed in first..<first + UInt64(Self.runs) {
      var run = try await StoreModelRun(seed: seed)
      try await run.run(steps: 80)
      #expect(run.problems.isEmpty)
    }
  }
}
