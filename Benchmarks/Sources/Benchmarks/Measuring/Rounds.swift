/// Two things measured in turn, so that a drift of the machine meets both alike.
struct Rounds: Sendable {
  /// How many pairs are counted.
  var count: Int

  /// Runs both in turn, ours first in every other pair, after one pair that does not count.
  ///
  /// Each closure does one round's work and gives what it cost for one repetition; what it does
  /// outside of its own clock does not count.
  func alternate(
    ours: () async throws -> Double,
    peer: () async throws -> Double
  ) async rethrows -> Pairs {
    var pairs = Pairs()
    for round in 0...count {
      let first = round.isMultiple(of: 2)
      var mine = first ? try await ours() : 0
      let theirs = try await peer()
      if !first { mine = try await ours() }
      if round > 0 { pairs.add(ours: mine, peer: theirs) }
    }
    return pairs
  }
}

/// What the rounds of one comparison gave.
struct Pairs: Codable, Sendable {
  private(set) var ours: [Double] = []
  private(set) var peer: [Double] = []

  mutating func add(ours mine: Double, peer theirs: Double) {
    ours.append(mine)
    peer.append(theirs)
  }

  mutating func append(_ other: Pairs) {
    ours += other.ours
    peer += other.peer
  }

  /// Ours as a multiple of the peer's, in each round.
  var ratios: [Double] { zip(ours, peer).map { $0 / $1 } }
}

extension [Double] {
  /// The middle value, or the mean of the two in the middle.
  var median: Double { quantile(0.5) }

  /// The value below which this share of the values lies, interpolated.
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    guard let last = sorted.indices.last else { return .nan }
    let place = share * Double(last)
    let below = Int(place)
    let above = Swift.min(below + 1, last)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}
