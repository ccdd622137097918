import Foundation
import StrataJournal

/// Findings of an inspection as JSON: keys are sorted, dates are ISO 8601 in UTC.
///
/// Control characters are not escaped for a terminal.
package enum SummaryJSON {
  /// JSON on one line.
  package static func compact(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  /// JSON with one member per line.
  package static func indented(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted])
  }

  private static func text(
    _ value: some Encodable,
    _ formatting: JSONEncoder.OutputFormatting
  ) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = formatting
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(Measures.exactTime(date))
    }
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      preconditionFailure("A summary contains only texts, integers and dates: \(error)")
    }
  }
}
