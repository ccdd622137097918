import Foundation

/// Formats numbers with three significant digits and a unit.
enum Format {
  static func text(_ value: Double, _ unit: Line.Unit) -> String {
    switch unit {
    case .nanoseconds: scaled(value, by: 1_000, ["ns", "µs", "ms", "s"])
    case .bytes: scaled(value, by: 1_024, ["B", "KiB", "MiB", "GiB"])
    case .entities: digits(value)
    }
  }

  static func ratio(_ line: Line) -> String {
    if line.pairs.ours.isEmpty { return "" }
    return (line.comparison == .cost ? "↓ " : "") + digits(line.ratio) + "×"
  }

  /// The lowest and highest ratio; empty if both are within 5 % of the median.
  static func spread(_ line: Line) -> String {
    if line.pairs.ours.isEmpty { return "" }
    let isNarrow =
      line.spread.lowerBound > line.ratio * 0.95 && line.spread.upperBound < line.ratio * 1.05
    return isNarrow ? "" : "\(digits(line.spread.lowerBound))–\(digits(line.spread.upperBound))"
  }

  static func goal(_ line: Line) -> String {
    if let limit = line.limit { return "≤ " + text(limit, line.unit) }
    guard let goal = line.goal else { return "" }
    return (line.comparison == .cost ? "≤ " : "≥ ") + digits(goal) + "×"
  }

  static func result(_ line: Line) -> String {
    line.isGoalMet.map { $0 ? "met" : "not met" } ?? ""
  }

  private static func scaled(_ value: Double, by step: Double, _ units: [String]) -> String {
    var value = value
    var unit = 0
    while value >= step, unit + 1 < units.count {
      value /= step
      unit += 1
    }
    return "\(digits(value)) \(units[unit])"
  }

  /// Three significant digits; integers have thousands separators.
  static func digits(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    if value >= 99.95 { return grouped(Int(value.rounded())) }
    let places = value >= 9.995 ? 1 : value >= 0.0995 ? 2 : 4
    let text = String(format: "%.\(places)f", value)
    return text.hasSuffix("0") && text.contains(".") ? trimmed(text) : text
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }

  private static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }
}

/// A count with thousands separators, such as `1,000`.
func grouped(_ count: Int) -> String { Format.digits(Double(count)) }
