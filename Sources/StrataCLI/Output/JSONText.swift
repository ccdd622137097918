import Foundation
import StrataStorage

/// What was found out about a store, as JSON for programs: sorted keys, dates as ISO 8601 in UTC.
enum JSONText {
  /// On one line.
  static func compact(_ value: some Encodable) -> String {
    text(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  /// A member a line.
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
      preconditionFailure("A summary holds texts, whole numbers and dates only: \(error)")
    }
  }
}
