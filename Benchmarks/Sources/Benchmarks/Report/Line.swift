/// A line of the report: the cost of some work here and for a peer.
struct Line: Codable, Sendable {
  enum Section: String, Codable, CaseIterable, Sendable {
    case inMemory = "In memory"
    case written = "Written"
    case restored = "Restored"
    case stored = "Stored"
    case archived = "Archived"
    case command = "By the command"
  }

  enum Unit: String, Codable, Sendable {
    case nanoseconds
    case bytes
    case entities
  }

  /// The direction of the ratio.
  enum Comparison: String, Codable, Sendable {
    /// The peer's cost as a multiple of ours: higher is better.
    case advantage
    /// Our cost as a multiple of the peer's: lower is better.
    case cost
  }

  /// Never changes, so that a program can compare runs of different versions.
  var id: String
  var section: Section
  var work: String
  /// What the work is compared with; `itself` if a line has only a limit.
  var peer: String
  var unit: Unit = .nanoseconds
  var comparison: Comparison
  /// The target ratio: a minimum for an advantage, a maximum for a cost.
  var goal: Double?
  /// The most that our cost may be, in the unit of the line.
  var limit: Double?
  /// How the two measurements differ in what they measure.
  var remark: String?
  var pairs: Pairs
  /// The median ratio of each process.
  var runs: [Double] = []
}

extension Line {
  /// The peer of a line that is compared with nothing.
  static let itself = "itself"

  /// Whether there is something to compare: not in a line without a peer, nor in one that was not measured.
  var hasRatio: Bool { !pairs.ours.isEmpty && peer != Line.itself }

  var ours: Double { pairs.ours.median }
  var theirs: Double { pairs.peer.median }

  private func directed(_ ratio: Double) -> Double { comparison == .cost ? ratio : 1 / ratio }

  /// The median of all rounds.
  var ratio: Double { directed(pairs.ratios.median) }

  /// The lowest to the highest median of the processes.
  var spread: ClosedRange<Double> {
    let runs = runs.map { directed($0) }
    return (runs.min() ?? ratio)...(runs.max() ?? ratio)
  }

  var isGoalMet: Bool? {
    if pairs.ours.isEmpty { return nil }
    if let limit { return ours <= limit }
    return goal.map { comparison == .cost ? ratio <= $0 : ratio >= $0 }
  }

  /// This line with the rounds of other processes added.
  func merging(_ others: [Line]) -> Line {
    var merged = self
    if pairs.ours.isEmpty { return merged }
    merged.runs = [pairs.ratios.median]
    for other in others {
      merged.pairs.append(other.pairs)
      merged.runs.append(other.pairs.ratios.median)
    }
    return merged
  }
}
