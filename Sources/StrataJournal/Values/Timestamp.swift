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
    return text(milliseconds: Int(milliseconds))
  }

  /// The text of a time in milliseconds since 1970, of the years 0 to 9999.
  static func text(milliseconds: Int) -> String {
    let (day, timeOfDay) = split(milliseconds, by: 86_400_000)
    let (year, month, dayOfMonth) = civil(day)
    var text: [UInt8] = []
    text.reserveCapacity(24)
    append(year, digits: 4, to: &text)
    text.append(UInt8(ascii: "-"))
    append(month, digits: 2, to: &text)
    text.append(UInt8(ascii: "-"))
    append(dayOfMonth, digits: 2, to: &text)
    text.append(UInt8(ascii: " "))
    append(timeOfDay / 3_600_000, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append(timeOfDay / 60_000 % 60, digits: 2, to: &text)
    text.append(UInt8(ascii: ":"))
    append(timeOfDay / 1_000 % 60, digits: 2, to: &text)
    text.append(UInt8(ascii: "."))
    append(timeOfDay % 1_000, digits: 3, to: &text)
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
    let days = daysSince1970(year, month, dayOfMonth)
    guard civil(days) == (year, month, dayOfMonth) else { return nil }
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

  private static func number(_ text: Substring, _ digits: Int) -> Int? {
    guard text.utf8.count == digits, text.allSatisfy({ ("0"..."9").contains($0) }) else {
      return nil
    }
    return Int(text)
  }

  private static func split(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let remainder = value % divisor
    return remainder < 0
      ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
  }

  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
  private static func civil(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = split(daysSince1970 + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * marchMonth + 2) / 5 + 1
    )
  }

  /// The same page, `days_from_civil`.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let (era, yearOfEra) = split(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func append(_ value: Int, digits: Int, to text: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }
}
