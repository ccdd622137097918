import Foundation

/// The number of rounds of a long test: `usual`, or the value of an environment variable.
///
/// The gate sets smaller values, `Scripts/torture` sets larger ones.
package func loopCount(_ variable: String, _ usual: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
}

/// The seed of a random test: the value of `STRATA_SEED`, or another one each time.
///
/// `Scripts/test` chooses one for all tests of a run and prints it.
package func randomSeed() -> UInt64 {
  ProcessInfo.processInfo.environment["STRATA_SEED"].flatMap { UInt64($0) }
    ?? .random(in: 0..<1 << 32)
}
