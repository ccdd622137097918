/// How many rounds to measure, and where.
struct Plan: Sendable {
  var isQuick: Bool
  var directory: String

  /// The rounds of a comparison that takes less than a second.
  var rounds: Rounds { Rounds(count: isQuick ? 2 : 5) }
  /// The rounds of a comparison that takes longer.
  var fewRounds: Rounds { Rounds(count: isQuick ? 1 : 2) }

  /// The number of repetitions, reduced in a quick run.
  func repetitions(_ count: Int) -> Int { isQuick ? max(1, count / 50) : count }
}
