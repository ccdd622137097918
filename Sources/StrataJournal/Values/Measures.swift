package import Foundation
import StrataBase
import StrataRecords

/// Sizes, counts and times as text.
package enum Measures {
  /// A size in units of 1,000 bytes, such as `512 bytes` or `1.2 MB`.
  package static func size(_ bytes: some BinaryInteger) -> String {
    let bytes = Int64(bytes)
    guard bytes >= 1_000 else { return count(bytes, "byte", "bytes") }
    var tenths = bytes / 100 + (bytes % 100 < 50 ? 0 : 1)
    for unit in ["kB", "MB", "GB"] {
      if tenths < 10_000 { return "\(tenths / 10).\(tenths % 10) \(unit)" }
      tenths = (tenths + 500) / 1_000
    }
    return "\(tenths / 10).\(tenths % 10) TB"
  }

  /// A number with a comma between thousands, such as `20,000`.
  package static func grouped(_ number: some BinaryInteger) -> String {
    let digits = Array(String(number.magnitude))
    let grouped = digits.indices.map { index in
      let isStart = index > 0 && (digits.count - index).isMultiple(of: 3)
      return (isStart ? "," : "") + String(digits[index])
    }
    return (number < 0 ? "-" : "") + grouped.joined()
  }

  /// A number with its noun, such as `1 delta` or `3 deltas`.
  package static func count(
    _ count: some BinaryInteger,
    _ one: String,
    _ many: String
  ) -> String {
    "\(count) \(count == 1 ? one : many)"
  }

  /// A time in UTC to the microsecond, the precision of a file, such as `2026-02-03T04:05:06.789012Z`.
  package static func exactTime(_ date: Date) -> String {
    let microseconds = (date.timeIntervalSinceReferenceDate * 1_000_000).rounded()
    return Date(timeIntervalSinceReferenceDate: microseconds / 1_000_000).iso8601Text
  }

  /// A time in UTC to the millisecond, such as `2026-02-03 04:05:06.789Z`.
  ///
  /// Fractions of a millisecond are cut off.
  package static func time(_ date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    // Foundation prints the same, but to load its calendars takes a millisecond. From 1970 up to and including 9999:
    if whole >= -Timestamp.secondsFrom1970To2001, whole < 252_423_993_600 {
      let nanoseconds = Int64((seconds - whole) * 1_000_000_000)
      let since1970 = Int64(whole + Timestamp.secondsFrom1970To2001)
      return Timestamp.text(milliseconds: since1970 * 1_000 + nanoseconds / 1_000_000)
    }
    return date.formatted(
      Date.ISO8601FormatStyle(
        dateTimeSeparator: .space,
        includingFractionalSeconds: true,
        timeZone: .gmt
      )
    )
  }
}

extension Duration {
  /// The number of seconds as text, with milliseconds where there are any.
  package var seconds: String {
    let (seconds, rest) = components
    return rest == 0
      ? "\(seconds)" : "\(Double(seconds) + Double(rest / 1_000_000_000_000_000) / 1_000)"
  }
}
