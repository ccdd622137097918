package import Foundation

extension Date {
  /// The date as ISO 8601 in UTC, such as `2001-01-01T00:00:00Z` or `2026-02-03T04:05:06.789Z`.
  ///
  /// A fraction has as few digits as read back to the same date, and at most nine. Years outside
  /// 0…9999 have a sign and at least six digits; what no calendar reaches, NaN and infinities are
  /// printed as their seconds since 2001, after an `@`.
  package var iso8601Text: String {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e14 else { return "@\(seconds)" }
    let (whole, fraction) = Self.split(seconds)
    let day = (whole - Self.modulo(whole, 86_400)) / 86_400
    let second = Self.modulo(whole, 86_400)
    let (year, month, dayOfMonth) = Self.civil(day)
    let date = "\(Self.text(year: year))-\(Self.padded(month))-\(Self.padded(dayOfMonth))"
    let clock = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0) }
    return "\(date)T\(clock.joined(separator: ":"))\(fraction)Z"
  }

  /// Whole seconds, and the digits after them with their point.
  private static func split(_ seconds: Double) -> (whole: Int64, fraction: String) {
    let floor = seconds.rounded(.down)
    var power: Int64 = 1
    for digits in 0...9 {
      let scaled = Int64(((seconds - floor) * Double(power)).rounded())
      if digits == 9 || floor + Double(scaled) / Double(power) == seconds {
        let whole = Int64(floor) + scaled / power
        let rest = scaled % power
        return (whole, rest == 0 ? "" : "." + padded(rest, to: digits))
      }
      power *= 10
    }
    return (Int64(floor), "")
  }

  /// The proleptic Gregorian date of a day counted from 2001-01-01.
  ///
  /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years start in
  /// March, eras have 400 years of 146 097 days.
  private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let sinceMarchOfYear0 = day + 730_791
    let dayOfEra = modulo(sinceMarchOfYear0, 146_097)
    let era = (sinceMarchOfYear0 - dayOfEra) / 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  private static func text(year: Int64) -> String {
    if (0...9_999).contains(year) { return padded(year, to: 4) }
    return (year < 0 ? "-" : "+") + padded(abs(year), to: 6)
  }

  private static func modulo(_ value: Int64, _ divisor: Int64) -> Int64 {
    let rest = value % divisor
    return rest < 0 ? rest + divisor : rest
  }

  private static func padded(_ value: Int64, to count: Int = 2) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
