import ArgumentParser

/// What a run does with the thresholds.
enum ThresholdUse: String, EnumerableFlag {
  case check
  case record

  static func help(for value: ThresholdUse) -> ArgumentHelp? {
    switch value {
    case .check:
      """
      Compare the lines with their thresholds; a line that is outside is measured again, three times at most, and \
      fails if it is outside each time.
      """
    case .record: "Set the thresholds of the lines from this run."
    }
  }
}
