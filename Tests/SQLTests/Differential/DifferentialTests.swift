import Foundation
import StrataColumns
import StrataJournal
import StrataMigrating
import StrataSQLite
import TestSupport
import Testing

/// SQL is SQLite: generated scripts do as migrations what plain SQLite does with the same tables and rows.
///
/// STRATA_SCRIPTS sets how many scripts run; above 300 they depend on STRATA_SEED. A difference is printed with the seed, the number of the script and the
/// smallest script that has it, and its rows. STRATA_FIRST leaves out the scripts before a number: with STRATA_SCRIPTS one
/// above it, one script runs.
@Suite struct DifferentialTests {
  static let count = loopCount("STRATA_SCRIPTS", 300)
  private static let first = loopCount("STRATA_FIRST", 0)
  /// Parts of the scripts, which run beside each other.
  static let parts = 2
  /// How many scripts run on one sample.
  private static let group = 10
  /// How many scripts of each kind of difference are made smaller, as that takes long.
  private static let smallest = loopCount("STRATA_SMALLEST", 1)
  /// The gate has the same scripts each time; more of them, as in the long checks, are others each time.
  private static let seed = count > 300 ? randomSeed() : 1

  /// The case of a number, and the run that its sample needs.
  private static func script(_ number: Int, on run: DifferentialRun) -> [[ScriptStatement]] {
    var generator = ScriptGenerator(
      run.tables.contents,
      using: SeededGenerator(seed: seed, step: number)
    )
    return generator.scripts()
  }

  private static func sample(_ group: Int) -> DifferentialSample {
    var random = SeededGenerator(seed: seed &+ 1, step: group)
    return DifferentialSample(using: &random)
  }

  private static func difference(of scripts: ScriptCase) async throws -> Difference? {
    try await Comparison(scripts, on: DifferentialRun(scripts.sample)).difference
  }

  @Test(arguments: 0..<parts)
  func `scripts do what SQLite does, and lose nothing in silence`(_ part: Int) async throws {
    var ran = 0
    var kinds: [String: Int] = [:]
    let groups = Self.first / Self.group..<(Self.count + Self.group - 1) / Self.group
    for group in groups where group % Self.parts == part {
      let sample = Self.sample(group)
      let run = try await DifferentialRun(sample)
      for number in group * Self.group..<min((group + 1) * Self.group, Self.count)
      where number >= Self.first {
        let scripts = ScriptCase(sample: sample, scripts: Self.script(number, on: run))
        let comparison = try await Comparison(scripts, on: run)
        if case .finished = comparison.plain { ran += 1 }
        guard let difference = comparison.difference else { continue }
        kinds[difference.signature, default: 0] += 1
        guard kinds[difference.signature, default: 0] <= Self.smallest else { continue }
        let smallest = try await scripts.smallest { candidate in
          try await Self.difference(of: candidate)?.isLike(difference) ?? false
        }
        let found = try await Self.difference(of: smallest) ?? difference
        Issue.record(
          "STRATA_SEED=\(Self.seed), script \(number): \(found)\n\(smallest)\n\(smallest.sample)"
        )
      }
    }
    printStatistics("differential part \(part): \(ran) scripts ran in SQLite")
    #expect(kinds.isEmpty, "\(kinds.sorted { $0.value > $1.value }) STRATA_SEED=\(Self.seed)")
  }
}
