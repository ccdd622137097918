import Foundation
import TestSupport
import Testing

/// A store that was changed to do harm, with all its hashes right: each subcommand of `strata` and each
/// opening policy answers or gives a typed error.
///
/// To repeat a case and keep its files: `CrashChild DIRECTORY SEED forge NUMBER`.
struct ForgedFileTests {
  static let cases = loopCount("STRATA_FORGED", 12)

  @Test
  func `no forged store crashes, hangs or fills a reader, or loses what was acknowledged`() throws {
    let directory = try TemporaryDirectory()
    // The suite has the same cases each time; a longer run has others each time.
    let seed = Self.cases > 60 ? randomSeed() : 1
    let half = Self.cases / 2
    let halves = try [0..<half, half..<Self.cases].map { numbers in
      try ChildProcess(
        "CrashChild",
        [
          directory.path("\(numbers.lowerBound)"), "\(seed)", "forge", "\(numbers.lowerBound)",
          "\(numbers.upperBound)",
        ]
      )
    }
    var lines: [String] = []
    for child in halves {
      let (code, output) = child.finish()
      #expect(code == 0, "seed \(seed)")
      lines += output
    }
    #expect(lines.count == Self.cases, "seed \(seed)")
    for line in lines where !line.contains(": ok | ") {
      Testing.Issue.record("seed \(seed), \(line)")
    }
    let (worked, refused) = (
      lines.count { $0.contains("strict worked") },
      lines.count { $0.contains("strict refused") }
    )
    printStatistics(
      "\(lines.count) forged stores, \(worked) opened, \(refused) refused; seed \(seed)"
    )
    // Some must pass every check, and some must not; few cases may be all of one sort.
    guard Self.cases >= 60 else { return }
    #expect(worked > lines.count / 20 && refused > lines.count / 20, "seed \(seed)")
  }
}
