/// Compares the lines of a run with their thresholds.
///
/// A line that is outside its threshold is measured again, three times at most, and fails if it is outside each time.
/// The caller measures `linesToRepeat` until there are none:
///
///     var check = ThresholdCheck(lines, against: thresholds, of: .all)
///     while !check.linesToRepeat.isEmpty { check.add(try measure(check.linesToRepeat)) }
struct ThresholdCheck {
  /// A line that was outside its threshold when it was measured first.
  struct Outside {
    var line: Line
    var threshold: Double
    /// The ratios of the measurements, in turn; the last one decides.
    var ratios: [Double]

    var isOutside: Bool {
      guard let last = ratios.last else { return true }
      switch line.comparison {
      case .advantage: return !(last >= threshold)
      case .cost: return !(last <= threshold)
      }
    }
  }

  /// How often a line that is outside is measured again.
  static let repetitions = 3

  /// The lines that were outside, in the order of the report.
  private(set) var outside: [Outside] = []
  /// The lines that are compared.
  private(set) var compared: [String] = []
  /// The lines that have no ratio, so no threshold.
  private(set) var withoutRatio: [String] = []
  /// The lines that have a ratio but no threshold.
  private(set) var withoutThreshold: [String] = []
  /// The thresholds that name no line of the run; a run of some benchmarks does not show them.
  private(set) var withoutLine: [String] = []

  private var repeated = 0

  init(_ lines: [Line], against thresholds: Thresholds, of scope: Thresholds.Scope) {
    var unused = thresholds.ids
    for line in lines {
      guard line.hasRatio else {
        withoutRatio.append(line.id)
        // Without PostgreSQL, a line may have a threshold and no ratio.
        if line.peer != Line.itself { unused.remove(line.id) }
        continue
      }
      guard let threshold = thresholds[line] else {
        withoutThreshold.append(line.id)
        continue
      }
      unused.remove(line.id)
      compared.append(line.id)
      let first = Outside(line: line, threshold: threshold, ratios: [line.ratio])
      if first.isOutside { outside.append(first) }
    }
    if scope == .all { withoutLine = unused.sorted() }
  }

  /// The lines to measure again: those that were outside each time.
  var linesToRepeat: [String] {
    repeated < Self.repetitions ? outside.filter(\.isOutside).map(\.line.id) : []
  }

  /// Adds a new measurement of `linesToRepeat`; other lines are ignored.
  mutating func add(_ lines: [Line]) {
    for index in outside.indices where outside[index].isOutside {
      let id = outside[index].line.id
      if let line = lines.first(where: { $0.id == id }) { outside[index].ratios.append(line.ratio) }
    }
    repeated += 1
  }

  var isPassed: Bool {
    !outside.contains(where: \.isOutside) && withoutThreshold.isEmpty && withoutLine.isEmpty
  }
}

extension ThresholdCheck {
  /// The lines that were outside as a table, and what is wrong with the thresholds.
  func text() -> String {
    var parts = [summary]
    if !outside.isEmpty {
      var table = [["", "threshold", "ratios seen", ""]]
      for outside in outside {
        let sign = outside.line.comparison == .cost ? "≤" : "≥"
        table.append([outside.line.work, "", "", ""])
        table.append([
          "  vs. \(outside.line.peer) (\(outside.line.id))",
          "\(sign) \(Format.digits(outside.threshold))×",
          outside.ratios.map { Format.digits($0) + "×" }.joined(separator: ", "),
          outside.isOutside ? "outside" : "inside at last",
        ])
      }
      parts.append(Report.aligned(table))
    }
    if !withoutThreshold.isEmpty {
      parts.append(
        """
        These lines have a ratio but no threshold: \(withoutThreshold.joined(separator: ", ")). Record it on a quiet \
        machine: Scripts/benchmark --record --only BENCHMARK.
        """
      )
    }
    if !withoutLine.isEmpty {
      parts.append(
        """
        These thresholds name no line of the run: \(withoutLine.joined(separator: ", ")). If a line has a new id, \
        rename its threshold in Benchmarks/Thresholds; if there is no such line any more, delete the threshold. \
        Scripts/benchmark --record without --only does both.
        """
      )
    }
    return parts.joined(separator: "\n\n")
  }

  private var summary: String {
    let failed = outside.filter(\.isOutside).count
    var text = """
      \(compared.count) lines compared with their thresholds: \(failed) outside in each of \(1 + Self.repetitions) \
      measurements, \(outside.count - failed) outside at first only.
      """
    if !withoutRatio.isEmpty {
      text += """
         \(withoutRatio.count) lines have no ratio, so no threshold: \(withoutRatio.joined(separator: ", ")).
        """
    }
    return text
  }
}
