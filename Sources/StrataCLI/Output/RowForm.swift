import ArgumentParser

/// The form of an output of rows; without a flag, it is a table.
enum RowForm: String, EnumerableFlag {
  case json, ndjson, csv

  static func help(for value: RowForm) -> ArgumentHelp? {
    switch value {
    case .json: "Print one JSON array."
    case .ndjson: "Print a JSON object on each line."
    case .csv: "Print CSV with a line of titles."
    }
  }
}
