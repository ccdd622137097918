/// A date of the proleptic Gregorian calendar, which all printed times use.
///
/// From Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years start in March, eras have 400 years of
/// 146,097 days. Foundation has the same calendar, but takes a millisecond to load it.
package struct CivilDate: Equatable {
  package let year: Int64
  package let month: Int64
  package let day: Int64

  /// How many days 2001-01-01 is after 1970-01-01.
  package static let from1970To2001: Int64 = 11_323

  /// A date that may not exist, such as one of February 30; see ``daysSince1970``.
  package init(year: Int64, month: Int64, day: Int64) {
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// The date of a day counted from 1970-01-01: `civil_from_days`.
  package init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).quotientAndRemainder(flooredBy: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
  }

  /// The number of the day, counted from 1970-01-01: `days_from_civil`.
  ///
  /// If this date does not exist, the number is that of another date.
  package var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).quotientAndRemainder(flooredBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}

extension Int64 {
  /// The quotient, rounded down, and the remainder, which is not negative.
  package func quotientAndRemainder(
    flooredBy divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension [UInt8] {
  /// Appends `2026-02-03`; a year outside 0…9999 has a sign and at least six digits.
  package mutating func append(_ date: CivilDate) {
    if (0...9_999).contains(date.year) {
      append(decimal: date.year, digits: 4)
    } else {
      append(date.year < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
      append(decimal: abs(date.year), digits: 6)
    }
    append(UInt8(ascii: "-"))
    append(decimal: date.month, digits: 2)
    append(UInt8(ascii: "-"))
    append(decimal: date.day, digits: 2)
  }

  /// Appends a second of a day as `04:05:06`.
  package mutating func append(secondOfDay second: Int64) {
    append(decimal: second / 3_600, digits: 2)
    append(UInt8(ascii: ":"))
    append(decimal: second / 60 % 60, digits: 2)
    append(UInt8(ascii: ":"))
    append(decimal: second % 60, digits: 2)
  }

  /// Appends a nonnegative number, padded with zeros to a count of digits.
  package mutating func append(decimal value: Int64, digits: Int) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while value / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }
}
