/// One line of the report: some work, what it costs here and what it costs a peer.
struct Line: Codable, Sendable {
  enum Section: String, Codable, CaseIterable, Sendable {
    case inMemory = "In memory"
    case written = "Written"
    case restored = "Restored"
    case stored = "Stored"
  }

  enum Unit: String, Codable, Sendable {
    case nanoseconds
    case bytes
    case entities
  }

  /// Which way the ratio is told.
  enum Comparison: String, Codable, Sendable {
    /// The peer's cost as a multiple of ours: more is better.
    case advantage
    /// Our cost as a multiple of the peer's: less is better.
    case cost
  }

  /// Stable from version to version, so that runs can be compared by a program.
  var id: String
  var section: Section
  var work: String
  var peer: String
  var unit: Unit = .nanoseconds
  var comparison: Comparison
  /// The ratio that is wanted: at least this for an advantage, at most this for a cost.
  var goal: Double?
  /// Where the two are not like for like.
  var remark: String?
  var pairs: Pairs
  /// The median ratio of each process the line was measured in.
  var runs: [Double] = []
}

extension Line {
  var ours: Double { pairs.ours.median }
  var theirs: Double { pairs.peer.median }

  private func told(_ ratio: Double) -> Double { comparison == .cost ? ratio : 1 / ratio }

  /// The median over the rounds.
  var ratio: Double { told(pairs.ratios.median) }

  /// From the lowest to the highest of the processes.
  var spread: ClosedRange<Double> {
    let runs = runs.map { told($0) }
    return (runs.min() ?? ratio)...(runs.max() ?? ratio)
  }

  var isGoalMet: Bool? {
    goal.map { comparison == .cost ? ratio <= $0 : ratio >= $0 }
  }

  /// The same line with the rounds of further processes.
  func merging(_ others: [Line]) -> Line {
    var merged = self
    merged.runs = [pairs.ratios.median]
    for other in others {
      merged.pairs.append(other.pairs)
      merged.runs.append(other.pairs.ratios.median)
    }
    return merged
  }
}
