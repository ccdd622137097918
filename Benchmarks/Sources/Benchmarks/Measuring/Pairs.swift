/// The results of the rounds of one comparison.
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

  /// Our cost as a multiple of the peer's, in each round.
  var ratios: [Double] { zip(ours, peer).map { $0 / $1 } }
}
