import Foundation
import StrataRecords

/// Times as the text that a `TIMESTAMP` column holds: `2026-02-03 04:05:06.789Z`, in UTC.
///
/// All times of the years 0 to 9999 have as many characters, so their order as texts is that of the times.
/// SQLite's own date functions read them. Fractions below a millisecond are cut off. Other times are the text
/// that JSON has for them, and all of them are read as ``Foundation/Date/init(timeText:)`` does.
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

  /// How the UTF-8 of two texts compares as times, however they are written: below, at or above 0.
  ///
  /// A text that is no time is above all times, and compares with another one by its bytes.
  package static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int32 {
    if isUsual(a), isUsual(b) { return byteOrder(a, b) }
    switch (time(a), time(b)) {
    case (let first?, let second?): return first < second ? -1 : first > second ? 1 : 0
    case (nil, _?): return 1
    case (_?, nil): return -1
    case (nil, nil): return byteOrder(a, b)
    }
  }

  private static func time(_ text: UnsafeRawBufferPointer) -> Date? {
    let date = Date(timeText: String(decoding: text, as: UTF8.self))
    return date?.timeIntervalSinceReferenceDate.isNaN == true ? nil : date
  }

  private static func byteOrder(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int32 {
    for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
    return a.count < b.count ? -1 : a.count > b.count ? 1 : 0
  }

  /// Whether a text is as ``text(secondsSince2001:)`` writes it, so that its bytes sort as its time; it may be even if
  /// this is false.
  private static func isUsual(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count == 24 else { return false }
    for (byte, pattern) in zip(text, "0000-00-00 00:00:00.000Z".utf8) {
      let isDigit = (48...57).contains(byte)
      guard pattern == 48 ? isDigit : byte == pattern else { return false }
    }
    func number(_ place: Int) -> Int { Int(text[place]) * 10 + Int(text[place + 1]) - 528 }
    return (1...12).contains(number(5)) && (1...28).contains(number(8)) && number(11) < 24
      && number(14) < 60 && number(17) < 60
  }
}
