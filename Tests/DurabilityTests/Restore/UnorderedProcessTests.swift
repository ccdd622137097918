import Foundation
import TestSupport
import Testing

/// Processes hash in orders of their own; what they store does not show it.
struct UnorderedProcessTests {
  @Test
  func `equal values have equal bytes in every process`() throws {
    let seed = randomSeed()
    let count = loopCount("STRATA_VALUES", 1_000)
    let expected = try Unordered.fingerprints(seed: seed, count: count)
    let arguments = ["-", "\(seed)", "unordered", "\(count)"]
    for environment in [
      ChildProcess.hashingAtRandom, ChildProcess.hashingAtRandom,
      ChildProcess.hashingAtRandom.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 },
    ] {
      let (code, lines) = try ChildProcess("CrashChild", arguments, environment: environment)
        .finish()
      #expect(code == 0)
      #expect(lines == expected, "seed \(seed)")
    }
    printStatistics("\(count) unordered records in four processes, seed \(seed)")
  }
}
