/// Measures two implementations in turn, so that a change of the machine's speed affects both.
struct Rounds: Sendable {
  /// How many pairs of measurements count.
  var count: Int

  /// Measures both in turn, ours first in every other pair.
  ///
  /// The first pair does not count. Each closure runs one round and returns the cost of one repetition. It measures the time itself, so
  /// its setup does not count.
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
