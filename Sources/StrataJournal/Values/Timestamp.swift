package import Foundation
import StrataRecords

/// Times as the text that a `TIMESTAMP` column holds: `2026-02-03 04:05:06.789Z`, in UTC.
///
/// All times of the years 0 to 9999 have as many characters, so their order as texts is that of the times.
/// SQLite's own date functions read them. Fractions below a millisecond are cut off. Other times are the text
/// that JSON has for them.
package enum Timestamp {
  static let secondsFrom1970To2001 = 978_307_200.0

  /// The text of a time in seconds since 2001.
  package static func text(secondsSince2001 seconds: Double) -> String {
    let milliseconds = ((seconds + secondsFrom1970To2001) * 1_000).rounded(.down)
    // From year 0 up to and including year 9999.
    guard milliseconds >= -62_167_219_200_000, milliseconds < 253_402_300_800_000 else {
      return Date(timeIntervalSinceReferenceDate: seconds).iso8601Text
    }
    return text(milliseconds: Int64(milliseconds))
  }

  /// The text of a time in milliseconds since 1970, of the years 0 to 9999.
  static func text(milliseconds: Int64) -> String {
    let (day, timeOfDay) = milliseconds.quotientAndRemainder(flooredBy: 86_400_000)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    text.append(CivilDate(daysSince1970: day))
    text.append(UInt8(ascii: " "))
    text.append(secondOfDay: timeOfDay / 1_000)
    text.append(UInt8(ascii: "."))
    text.append(decimal: timeOfDay % 1_000, digits: 3)
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The text of a time in microseconds since 1970.
  package static func text(microseconds: Int64) -> String {
    text(secondsSince2001: Double(microseconds) / 1_000_000 - secondsFrom1970To2001)
  }

  /// The time of a text: a date, or a date and a time, with or without seconds, a fraction and `Z`; nil for
  /// any other text.
  package static func date(_ text: String) -> Date? {
    var rest = Substring(text)
    if rest.hasSuffix("Z") { rest.removeLast() }
    let parts = rest.split(separator: rest.contains("T") ? "T" : " ", maxSplits: 1)
    guard let first = parts.first else { return nil }
    let day = first.split(separator: "-", omittingEmptySubsequences: false)
    guard day.count == 3, let year = number(day[0], 4), let month = number(day[1], 2),
      let dayOfMonth = number(day[2], 2), (1...12).contains(month), (1...31).contains(dayOfMonth)
    else { return nil }
    let date = CivilDate(year: year, month: month, day: dayOfMonth)
    let days = date.daysSince1970
    guard CivilDate(daysSince1970: days) == date else { return nil }
    var seconds = Double(days) * 86_400 - secondsFrom1970To2001
    if parts.count == 2 {
      let clock = parts[1].split(separator: ":", omittingEmptySubsequences: false)
      guard (2...3).contains(clock.count), let hour = number(clock[0], 2), hour < 24,
        let minute = number(clock[1], 2), minute < 60
      else { return nil }
      seconds += Double(hour * 3_600 + minute * 60)
      if clock.count == 3 {
        let whole = clock[2].prefix { $0 != "." }
        guard let second = number(whole, 2), second < 60 else { return nil }
        seconds += Double(second)
        let fraction = clock[2].dropFirst(whole.count)
        if !fraction.isEmpty {
          guard fraction.count > 1, fraction.dropFirst().allSatisfy({ ("0"..."9").contains($0) }),
            let value = Double("0" + fraction)
          else { return nil }
          seconds += value
        }
      }
    }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  private static func number(_ text: Substring, _ digits: Int) -> Int64? {
    guard text.utf8.count == digits, text.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    return Int64(text)
  }
}
