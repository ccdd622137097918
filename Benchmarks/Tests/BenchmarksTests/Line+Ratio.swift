@testable import Benchmarks

extension Line {
  /// A line whose processes have these median ratios; the first one is that of all rounds too.
  static func cost(_ id: String, _ ratio: Double, _ others: Double...) -> Line {
    line(id, .cost, ratio, others) { $0 }
  }

  static func advantage(_ id: String, _ ratio: Double, _ others: Double...) -> Line {
    line(id, .advantage, ratio, others) { 1 / $0 }
  }

  private static func line(
    _ id: String,
    _ comparison: Comparison,
    _ ratio: Double,
    _ others: [Double],
    _ ours: (Double) -> Double
  ) -> Line {
    var pairs = Pairs()
    pairs.add(ours: ours(ratio), peer: 1)
    return Line(
      id: id,
      section: .inMemory,
      work: "read",
      peer: "Dictionary",
      comparison: comparison,
      pairs: pairs,
      runs: ([ratio] + others).map(ours)
    )
  }
}
