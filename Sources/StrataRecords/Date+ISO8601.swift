package import Foundation

extension Date {
  /// The date as ISO 8601 in UTC, such as `2001-01-01T00:00:00Z` or `2026-02-03T04:05:06.789Z`.
  ///
  /// A fraction has the fewest digits that read back as the same date, and at most nine. Years outside 0…9999
  /// have a sign and at least six digits. Dates beyond the calendar, NaN and infinities are printed as `@`
  /// and their seconds since 2001.
  package var iso8601Text: String {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e14 else { return "@\(seconds)" }
    let (whole, fraction, digits) = Self.split(seconds)
    let (day, second) = whole.quotientAndRemainder(flooredBy: 86_400)
    var text: [UInt8] = []
    text.append(CivilDate(daysSince1970: day + Self.daysFrom1970To2001))
    text.append(UInt8(ascii: "T"))
    text.append(secondOfDay: second)
    if fraction > 0 {
      text.append(UInt8(ascii: "."))
      text.append(decimal: fraction, digits: digits)
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  private static let daysFrom1970To2001: Int64 = 11_323

  /// Whole seconds, and the digits after them.
  private static func split(_ seconds: Double) -> (whole: Int64, fraction: Int64, digits: Int) {
    let floor = seconds.rounded(.down)
    var power: Int64 = 1
    for digits in 0...9 {
      let scaled = Int64(((seconds - floor) * Double(power)).rounded())
      if digits == 9 || floor + Double(scaled) / Double(power) == seconds {
        return (Int64(floor) + scaled / power, scaled % power, digits)
      }
      power *= 10
    }
    return (Int64(floor), 0, 0)
  }
}
