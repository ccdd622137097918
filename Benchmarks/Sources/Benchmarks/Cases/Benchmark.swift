/// One program of measurement, run in processes of its own: the state of the heap moves figures by
/// more than most improvements do.
protocol Benchmark: Sendable {
  /// What `--only` and the child process call it.
  var name: String { get }

  func run(_ plan: Plan) async throws -> [Line]
}

/// How thoroughly to measure, and where.
struct Plan: Sendable {
  var isQuick: Bool
  var directory: String

  /// The rounds of a comparison whose pair takes well under a second.
  var rounds: Rounds { Rounds(count: isQuick ? 2 : 5) }
  /// The rounds of one that takes longer.
  var fewRounds: Rounds { Rounds(count: isQuick ? 1 : 2) }

  /// Fewer repetitions where the run only has to prove that it runs.
  func repetitions(_ count: Int) -> Int { isQuick ? max(1, count / 50) : count }
}

/// `1,000`, for the names of lines.
func grouped(_ count: Int) -> String { Figures.digits(Double(count)) }
