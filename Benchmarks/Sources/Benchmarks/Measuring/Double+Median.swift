extension [Double] {
  /// The middle value, or the mean of the two in the middle.
  var median: Double { quantile(0.5) }

  /// The value that a share of the values is below, interpolated.
  func quantile(_ share: Double) -> Double {
    let sorted = sorted()
    guard let last = sorted.indices.last else { return .nan }
    let place = share * Double(last)
    let below = Int(place)
    let above = Swift.min(below + 1, last)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}
