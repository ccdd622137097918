import Foundation
import Strata
import StrataInspection
import StrataPersistence
import TestSupport
import Testing

/// Two processes that open one store at the same time.
struct OpeningRaceTests {
  static let races = loopCount("STRATA_RACES", 8)

  @Test
  func `of two processes that open at once one has the store and the other is told so`()
    async throws
  {
    let directory = try TemporaryDirectory()
    var wins = [0, 0]
    for race in 0..<Self.races {
      // Every second time there is no store yet, and both try to create it.
      let path = directory.path("race-\(race / 2).strata")
      let start = directory.path("start-\(race)")
      let children = try (0..<2).map { _ in
        try ChildProcess("CrashChild", [path, "1", "race", start])
      }
      for child in children { #expect(child.lines(atLeast: 1) == ["ready"]) }
      try Data().write(to: URL(fileURLWithPath: start))
      let verdicts = children.map { $0.lines(atLeast: 2).last ?? "" }
      let winners = verdicts.indices.filter { verdicts[$0] == "opened" }
      #expect(winners.count == 1, "race \(race): \(verdicts)")
      #expect(verdicts.contains { $0.hasPrefix("refused: ") }, "race \(race): \(verdicts)")
      for winner in winners { wins[winner] += 1 }
      for child in children { child.kill() }
      let inspector = try Inspector(path: path)
      #expect(try inspector.info().revision == Int64(race % 2 + 1), "race \(race)")
      #expect(try inspector.verify().isSound, "race \(race)")
    }
    printStatistics(
      "\(Self.races) openings at once: won by the first \(wins[0]), the second \(wins[1])"
    )
  }
}
