package import Foundation

/// Times as text: `2001-01-01T00:00:00Z`, `2026-02-03T04:05:06.789Z`, in UTC.
///
/// A fraction has the fewest digits that read back as the same time. Years outside 0…9999 have a sign and at least
/// six digits. What has no such text is `@` and its seconds since 2001, as a double is written: `@1e-20`, `@NaN`.
extension Date {
  /// The time as ISO 8601 in UTC, from which ``init(timeText:)`` gives it back bit for bit.
  package var iso8601Text: String {
    let seconds = timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e14, seconds != 0 || seconds.sign == .plus,
      let (whole, fraction) = NumberText(seconds.description)?.floored
    else { return "@\(ScalarText.text(of: seconds))" }
    let (day, second) = whole.quotientAndRemainder(flooredBy: 86_400)
    var text: [UInt8] = []
    text.append(CivilDate(daysSince1970: day + CivilDate.from1970To2001))
    text.append(UInt8(ascii: "T"))
    text.append(secondOfDay: second)
    if !fraction.isEmpty {
      text.append(UInt8(ascii: "."))
      text += fraction.utf8
    }
    text.append(UInt8(ascii: "Z"))
    return String(decoding: text, as: UTF8.self)
  }

  /// The time of a text: a date, or a date, `T` or a space, and a time with or without seconds, a fraction and an
  /// offset (`Z`, `+02:00`, `+0200`, `+02`); or `@` and seconds since 2001.
  ///
  /// Without an offset it is in UTC. The result is the nearest date. Nil for any other text.
  package init?(timeText text: String) {
    if text.utf8.first == UInt8(ascii: "@") {
      guard let seconds = ScalarText.double(text.dropFirst()) else { return nil }
      self.init(timeIntervalSinceReferenceDate: seconds)
      return
    }
    var reader = TimeReader(text)
    guard let seconds = reader.seconds() else { return nil }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

/// Reads a time from its first character to its last.
private struct TimeReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  private var isAtEnd: Bool { offset == bytes.count }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: scalar) else { return false }
    offset += 1
    return true
  }

  /// The digits at the offset.
  private mutating func digits() -> ArraySlice<UInt8> {
    let digits = bytes[offset...].prefix { (48...57).contains($0) }
    offset = digits.endIndex
    return digits
  }

  /// A number of so many digits, or of two.
  private mutating func number(_ counts: ClosedRange<Int> = 2...2) -> Int64? {
    let digits = digits()
    guard counts.contains(digits.count) else { return nil }
    return digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
  }

  /// The seconds since 2001.
  mutating func seconds() -> Double? {
    guard let day = day() else { return nil }
    var whole = (day - CivilDate.from1970To2001) * 86_400
    var fraction: ArraySlice<UInt8> = []
    if take("T") || take(" ") {
      guard let hour = number(), hour < 24, take(":"), let minute = number(), minute < 60 else {
        return nil
      }
      whole += hour * 3_600 + minute * 60
      if take(":") {
        guard let second = number(), second < 60 else { return nil }
        whole += second
        if take(".") {
          fraction = digits()
          if fraction.isEmpty { return nil }
        }
      }
      guard let east = zone() else { return nil }
      whole -= east
    } else {
      _ = take("Z")
    }
    return isAtEnd ? Self.seconds(whole, fraction) : nil
  }

  /// The day since 1970.
  private mutating func day() -> Int64? {
    let isBefore = take("-")
    let isLong = isBefore || take("+")
    let longest = 12
    guard let number = number(isLong ? 6...longest : 4...4), take("-"), let month = self.number(),
      take("-"), let day = self.number(), (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    let date = CivilDate(year: isBefore ? -number : number, month: month, day: day)
    let days = date.daysSince1970
    return CivilDate(daysSince1970: days) == date ? days : nil
  }

  /// How many seconds the time is ahead of UTC.
  private mutating func zone() -> Int64? {
    if take("Z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+") else { return 0 }
    let digits = digits()
    guard digits.count == 2 || digits.count == 4 else { return nil }
    var number = digits.reduce(0) { $0 * 10 + Int64($1 - 48) }
    if digits.count == 2 {
      number *= 100
      if take(":") {
        guard let minute = self.number() else { return nil }
        number += minute
      }
    }
    let (hour, minute) = number.quotientAndRemainder(dividingBy: 100)
    guard hour < 24, minute < 60 else { return nil }
    return (hour * 3_600 + minute * 60) * (isWest ? -1 : 1)
  }

  /// The double nearest to whole seconds and the digits behind them.
  private static func seconds(_ whole: Int64, _ fraction: ArraySlice<UInt8>) -> Double? {
    guard let last = fraction.lastIndex(where: { $0 != 48 }) else { return Double(whole) }
    if whole >= 0 { return Double("\(whole).\(String(decoding: fraction, as: UTF8.self))") }
    // -1 and .25 are -0.75: the digits up to the last one complement those of a whole second.
    var digits = fraction[...last].map { 105 - $0 }
    digits[digits.count - 1] += 1
    return Double("-\(-(whole + 1)).\(String(decoding: digits, as: UTF8.self))")
  }
}
