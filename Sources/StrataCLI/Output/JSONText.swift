import Foundation
import StrataStorage

/// The JSON output of all subcommands: keys are sorted, dates are ISO 8601 in UTC.
///
/// ``Output`` escapes characters that control a terminal, so they are never raw in it.
enum JSONText {
  /// JSON on one line.
  static func compact(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  /// JSON with one member per line.
  static func indented(_ value: some Encodable) -> String {
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
